import { epochOf, numberOf, type Version } from '@vitrine/listing-events';
import type { Warning } from './warnings.ts';

/** The versions from one source in one epoch. */
interface Range {
  source: string;
  epoch: number;
  low: number;
  high: number;
}

/** A listing has few sources. The limit bounds the comparisons. */
const MAX_RANGES = 100;
const SCALE = 1_000;
const FIRST_CLOCK = Date.UTC(2010, 0) / 1_000;
const LAST_CLOCK = Date.UTC(2060, 0) / 1_000;
/** Seconds, milliseconds and microseconds since 1970. Nanoseconds exceed the largest version. */
const CLOCK_UNITS = [1, 1e3, 1e6];

const looksLikeClock = (version: number): boolean =>
  CLOCK_UNITS.some((unit) => version >= FIRST_CLOCK * unit && version < LAST_CLOCK * unit);

/** The versions that the sources of one listing use. */
export class VersionRanges {
  readonly #ranges: Range[] = [];
  /** For each epoch, the highest version that looks like a time. */
  readonly #clocks = new Map<number, number>();

  add(source: string, version: Version): void {
    const [epoch, number] = [epochOf(version), numberOf(version)];
    const range = this.#ranges.find((known) => known.source === source && known.epoch === epoch);
    if (range) {
      range.low = Math.min(range.low, number);
      range.high = Math.max(range.high, number);
    } else if (this.#ranges.length < MAX_RANGES)
      this.#ranges.push({ source, epoch, low: number, high: number });
    if (looksLikeClock(number)) this.#clocks.set(epoch, Math.max(number, this.#clocks.get(epoch) ?? 0));
  }

  /** Returns at most one warning of each kind. */
  warnings(): Warning[] {
    return [this.#scale(), this.#clockAndSequence()].filter((warning) => warning !== undefined);
  }

  #scale(): Warning | undefined {
    for (const lower of this.#ranges)
      for (const upper of this.#ranges)
        if (lower.epoch === upper.epoch && lower.source !== upper.source && lower.high * SCALE < upper.low)
          return {
            kind: 'version-scale',
            detail:
              `${lower.source} has versions up to ${lower.high}, ` +
              `and ${upper.source} has versions from ${upper.low}`,
          };
    return undefined;
  }

  #clockAndSequence(): Warning | undefined {
    for (const { source, epoch, low } of this.#ranges) {
      const clock = this.#clocks.get(epoch);
      if (clock !== undefined && !looksLikeClock(low) && low * SCALE < clock)
        return {
          kind: 'clock-and-sequence',
          detail: `${low} of ${source} looks like a sequence, and ${clock} looks like a time`,
        };
    }
    return undefined;
  }
}
