import type { StatusSample } from './api-types.ts';

export interface Point {
  /** Epoch milliseconds. */
  at: number;
  value: number;
}

/** Rates per second from a counter. A counter that a restart has reset gives no point. Pure. */
export function ratePoints(
  samples: readonly StatusSample[],
  counter: (sample: StatusSample) => number | undefined,
): Point[] {
  return pairs(samples).flatMap(([before, after]) => {
    const [from, to] = [counter(before), counter(after)];
    if (from === undefined || to === undefined || to < from) return [];
    return [{ at: after.at, value: (to - from) / ((after.at - before.at) / 1_000) }];
  });
}

/** Number of events that the live generation has applied so far. Pure. */
export function appliedEvents({ live, end, generations }: StatusSample): number | undefined {
  const records = generations.find(({ number }) => number === live)?.records;
  return records === undefined ? undefined : end - records;
}

/** A value of the live generation over time. Pure. */
export const livePoints = (samples: readonly StatusSample[], member: 'records' | 'seconds'): Point[] =>
  samples.flatMap(({ at, live, generations }) => {
    const value = generations.find(({ number }) => number === live)?.[member];
    return value === undefined ? [] : [{ at, value }];
  });

/** Mean time of the searches between two samples, in milliseconds. Without searches, there is no point. Pure. */
export const searchTimes = (samples: readonly StatusSample[]): Point[] =>
  pairs(samples).flatMap(([before, after]) => {
    if (!before.searches || !after.searches || before.live !== after.live) return [];
    const count = after.searches.count - before.searches.count;
    const milliseconds = after.searches.milliseconds - before.searches.milliseconds;
    return count <= 0 || milliseconds < 0 ? [] : [{ at: after.at, value: milliseconds / count }];
  });

const RATE_SAMPLES = 8;

/** The recent rate of the running rebuild per second, and the seconds left. Pure. */
export function buildRate(
  samples: readonly StatusSample[],
): { rate: number; secondsLeft?: number } | undefined {
  const last = samples.at(-1);
  if (last?.running?.done === undefined) return undefined;
  const same = samples.slice(-RATE_SAMPLES).filter(({ running }) => running?.phase === last.running?.phase);
  const [first] = same;
  if (first?.running?.done === undefined || first.at === last.at) return undefined;
  const rate = Math.max(0, (last.running.done - first.running.done) / ((last.at - first.at) / 1_000));
  const left = (last.running.total ?? 0) - last.running.done;
  return { rate, ...(rate > 0 && { secondsLeft: Math.max(0, left / rate) }) };
}

const pairs = (samples: readonly StatusSample[]): [StatusSample, StatusSample][] =>
  samples.slice(1).map((sample, i) => [samples[i] as StatusSample, sample]);
