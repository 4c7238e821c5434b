import { join } from 'node:path';
import { highestVersion, type Rules } from '@vitrine/listing';
import { type ComposedEvent, compareVersions, type Version } from '@vitrine/listing-events';
import type { ReportedDifference } from '../check-candidates.ts';
import { expectedListing } from '../expected-listing.ts';
import { LineFile } from '../files/line-file.ts';
import type { CheckedCandidate } from '../second-comparison.ts';
import type { SourceLine } from '../source/source-line.ts';
import { type Correction, type CorrectionOptions, removalOf, snapshotOf } from './correction.ts';

/**
 * A correction, and the version of the state document that it corrects. The version is `null` if there was no
 * state.
 */
export interface StoredCorrection {
  revision: number | null;
  event: ComposedEvent;
}

export interface CorrectionCounts {
  removals: number;
  snapshots: number;
  /** The number of snapshots that hide a live item, for example because the line has a price of 0. */
  hiding: number;
  /** The number of listings without a correction, by reason. */
  impossible: Partial<Record<NonNullable<Correction['why']>, { count: number; example: string }>>;
}

export class Corrections {
  readonly counts: CorrectionCounts = { removals: 0, snapshots: 0, hiding: 0, impossible: {} };
  readonly #file: LineFile;
  readonly #options: CorrectionOptions & { rules: Rules };

  private constructor(file: LineFile, options: CorrectionOptions & { rules: Rules }) {
    this.#file = file;
    this.#options = options;
  }

  /** @throws file system errors */
  static async create(folder: string, options: CorrectionOptions & { rules: Rules }): Promise<Corrections> {
    return new Corrections(await LineFile.create(join(folder, 'corrections')), options);
  }

  /** The number of listings that have a correction. */
  get count(): number {
    return this.#file.lines;
  }

  get path(): string {
    return this.#file.path;
  }

  /**
   * Adds the correction of a listing that differs. A changed listing is not corrected.
   * @param keeps whether the file receives the correction. Otherwise, the correction is only counted
   */
  async add({ candidate: [id, line], stored, result }: CheckedCandidate, keeps: boolean): Promise<void> {
    if (!result.difference) return;
    const highest = stored.state && highestVersion(stored.state);
    const { event, why, detail } = {
      detail: '',
      ...this.#correctionOf(id, line, highest, result.difference),
    };
    if (!event) {
      const { count = 0, example = `${id}: ${detail}` } = this.counts.impossible[why] ?? {};
      this.counts.impossible[why] = { count: count + 1, example };
      return;
    }
    if (!line) this.counts.removals++;
    else {
      this.counts.snapshots++;
      const isHiding = stored.item && expectedListing(line, this.#options.rules).hidden !== undefined;
      if (isHiding) this.counts.hiding++;
    }
    if (!keeps) return;
    const stage: StoredCorrection = { revision: stored.revision ?? null, event };
    this.#file.add(stage);
    await this.#file.drain();
  }

  #correctionOf(
    id: string,
    line: SourceLine | null,
    highest: Version | undefined,
    difference: ReportedDifference,
  ): Correction {
    if (!line) return removalOf(id, highest, this.#options);
    if (isOnlyBehind(line, highest, difference))
      return { why: 'only-version', detail: 'its content is equal' };
    return snapshotOf(line, highest, this.#options);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

const VERSION_NAMES = new Set(['version', 'version_epoch']);

/**
 * Whether the content is equal, and only the version in the feed is higher. A correction would raise this
 * version again in each run, until the versions of the source's events are too low.
 */
const isOnlyBehind = (
  { version }: SourceLine,
  highest: Version | undefined,
  difference: ReportedDifference,
): boolean =>
  version !== undefined &&
  highest !== undefined &&
  compareVersions(version, highest) < 0 &&
  difference.kind === 'different' &&
  Object.keys(difference.members).every((name) => VERSION_NAMES.has(name));
