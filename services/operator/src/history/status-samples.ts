import type { Status } from '../status/status.ts';

/**
 * The numbers of one status that the charts need. The counters are cumulative, so that rates can be computed
 * from them.
 */
export interface StatusSample {
  /** The time of the sample in epoch milliseconds. */
  at: number;
  /** Whether the console could not read the status between the last sample and this one. */
  isAfterGap?: boolean;
  live?: number;
  /** The sum of the end offsets of the events topic. */
  end: number;
  /** Searches of the live items so far, and their time in milliseconds. */
  searches?: { count: number; milliseconds: number };
  /**
   * The lag of the live generation. `position` is the sum of the offsets below which all records are
   * finished.
   */
  lag?: { records: number; seconds: number; position: number };
}

/** Reduces a status to a sample. Pure. */
export function sampleOf({ generations, events }: Status, at: number): StatusSample {
  const live = generations.find(({ role }) => role === 'live');
  return {
    at,
    end: events.end,
    ...(live && { live: live.number }),
    ...(live?.searches && { searches: live.searches }),
    ...(live?.lag && {
      lag: { records: live.lag.records, seconds: live.lag.seconds, position: live.lag.position },
    }),
  };
}

export const RANGES = ['5m', '1h', '24h'] as const;
export type Range = (typeof RANGES)[number];

/** The length of each range, and the period for which it keeps one sample. */
export const RANGE_MS: Readonly<Record<Range, { length: number; every: number }>> = {
  '5m': { length: 300_000, every: 1_000 },
  '1h': { length: 3_600_000, every: 15_000 },
  '24h': { length: 86_400_000, every: 300_000 },
};

/** The samples of each range. The longer ranges are coarser, so no range has more than 301 samples. */
export class SampleRings {
  readonly #rings: Record<Range, StatusSample[]> = { '5m': [], '1h': [], '24h': [] };
  #isAfterGap = false;

  add(sample: StatusSample): void {
    const marked = this.#isAfterGap ? { ...sample, isAfterGap: true } : sample;
    this.#isAfterGap = false;
    for (const range of RANGES) this.#rings[range] = withSample(this.#rings[range], marked, RANGE_MS[range]);
  }

  /** Notes that the console could not read the status. */
  interrupt(): void {
    this.#isAfterGap = true;
  }

  /** Returns the samples in chronological order. */
  of(range: Range): readonly StatusSample[] {
    return this.#rings[range];
  }
}

/**
 * Adds a sample, and drops those that are too old. If one period has several samples, only the last one
 * stays, with the longest lag of all of them, so that a coarse chart shows each peak. Pure.
 */
function withSample(
  samples: readonly StatusSample[],
  sample: StatusSample,
  { length, every }: { length: number; every: number },
): StatusSample[] {
  const last = samples.at(-1);
  const isSamePeriod = last && Math.floor(last.at / every) === Math.floor(sample.at / every);
  const kept = (isSamePeriod ? samples.slice(0, -1) : samples).filter(({ at }) => sample.at - at < length);
  return [...kept, isSamePeriod ? joined(last, sample) : sample];
}

function joined(before: StatusSample, sample: StatusSample): StatusSample {
  const { lag } = sample;
  const isAfterGap = before.isAfterGap || sample.isAfterGap;
  return {
    ...sample,
    ...(isAfterGap && { isAfterGap }),
    ...(lag && {
      lag: {
        ...lag,
        records: Math.max(lag.records, before.lag?.records ?? 0),
        seconds: Math.max(lag.seconds, before.lag?.seconds ?? 0),
      },
    }),
  };
}
