import type { StatusSample } from './status-samples.ts';

export interface Point {
  /** The time of the point in epoch milliseconds. */
  at: number;
  value: number;
  /** Whether no sample was possible between the last point and this one. A chart leaves a gap there. */
  isAfterGap?: boolean;
}

/**
 * Computes rates per second from a counter. A counter that a restart has reset gives no point. The first rate
 * after a gap would be the mean over the gap, so this rate gives no point either. Pure.
 */
export function ratePoints(
  samples: readonly StatusSample[],
  counter: (sample: StatusSample) => number | undefined,
): Point[] {
  return pairs(samples).flatMap(([before, after]) => {
    const [from, to] = [counter(before), counter(after)];
    const seconds = (after.at - before.at) / 1_000;
    return from === undefined || to === undefined || to < from || seconds <= 0
      ? []
      : [{ at: after.at, value: (to - from) / seconds }];
  });
}

/** The lag of the live generation over time. Pure. */
export const lagPoints = (samples: readonly StatusSample[], member: 'records' | 'seconds'): Point[] =>
  samples.flatMap(({ at, lag, isAfterGap }) =>
    lag ? [{ at, value: lag[member], ...(isAfterGap && { isAfterGap }) }] : [],
  );

/**
 * The mean search time between two samples, in milliseconds. An interval without searches has no point. Pure.
 */
export const searchTimes = (samples: readonly StatusSample[]): Point[] =>
  pairs(samples).flatMap(([before, after]) => {
    if (!before.searches || !after.searches || before.live !== after.live) return [];
    const count = after.searches.count - before.searches.count;
    const milliseconds = after.searches.milliseconds - before.searches.milliseconds;
    return count <= 0 || milliseconds < 0 ? [] : [{ at: after.at, value: milliseconds / count }];
  });

/** Returns the pairs of neighboring samples that have no gap between them. */
const pairs = (samples: readonly StatusSample[]): [StatusSample, StatusSample][] =>
  samples
    .slice(1)
    .map((sample, i): [StatusSample, StatusSample] => [samples[i] as StatusSample, sample])
    .filter(([, after]) => !after.isAfterGap);

/**
 * Marks the points that follow the previous one only after more than `longest` milliseconds: the process
 * slept, or a counter gave no rate. Pure.
 */
export const withGaps = (points: readonly Point[], longest: number): Point[] =>
  points.map((point, i) => {
    const before = points[i - 1];
    return before && point.at - before.at > longest ? { ...point, isAfterGap: true } : point;
  });
