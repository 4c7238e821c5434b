import { join } from 'node:path';
import { highestVersion } from '@vitrine/listing';
import { type CorrectingEvent, type Correction, removalOf, snapshotOf } from './correction.ts';
import { LineFile } from './line-file.ts';

import type { CheckedCandidate } from './second-comparison.ts';

/** A correction, and the version of the state document that it corrects. `null`: there was no state. */
export interface StoredCorrection {
  revision: number | null;
  event: CorrectingEvent;
}

/** The corrections of a comparison. */
export interface CorrectionCounts {
  removals: number;
  snapshots: number;
  /** Number of listings without a correction, by the reason. */
  impossible: Partial<Record<NonNullable<Correction['why']>, { count: number; example: string }>>;
}

/** Collects the corrections in a file. */
export class Corrections {
  readonly counts: CorrectionCounts = { removals: 0, snapshots: 0, impossible: {} };
  readonly #file: LineFile;
  readonly #asOf: string;

  private constructor(file: LineFile, asOf: string) {
    this.#file = file;
    this.#asOf = asOf;
  }

  /** @param asOf the moment of the dump, ISO 8601. @throws the errors of the file system */
  static async create(folder: string, asOf: string): Promise<Corrections> {
    return new Corrections(await LineFile.create(join(folder, 'corrections')), asOf);
  }

  get path(): string {
    return this.#file.path;
  }

  /** Adds the correction of a listing that differs. A changed listing is not corrected. */
  async add({ candidate: [id, line], stored, result }: CheckedCandidate): Promise<void> {
    if (result.kind === 'equal' || result.kind === 'changed') return;
    const highest = stored.state && highestVersion(stored.state);
    const { event, why, detail } = {
      detail: '',
      ...(line ? snapshotOf(line, highest, this.#asOf) : removalOf(id, highest, this.#asOf)),
    };
    if (!event) {
      const { count = 0, example = `${id}: ${detail}` } = this.counts.impossible[why] ?? {};
      this.counts.impossible[why] = { count: count + 1, example };
      return;
    }
    if (line) this.counts.snapshots++;
    else this.counts.removals++;
    const stage: StoredCorrection = { revision: stored.revision ?? null, event };
    this.#file.add(stage);
    await this.#file.drain();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
