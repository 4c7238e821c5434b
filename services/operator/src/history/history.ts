import { THRESHOLDS } from '../status/health.ts';
import type { Prometheus } from './prometheus.ts';
import { lagPoints, type Point, ratePoints, searchTimes, withGaps } from './series.ts';
import { RANGE_MS, type Range, type SampleRings, type StatusSample } from './status-samples.ts';

type SeriesName = 'applied' | 'arriving' | 'lagRecords' | 'lagSeconds' | 'searches' | 'searchTime';

/** What the charts of one range show. */
export interface History {
  range: Range;
  /** The times of the left and the right edge in epoch milliseconds. */
  from: number;
  to: number;
  /** The source of the applied events and the lag. */
  source: 'console' | 'prometheus';
  /** Why Prometheus did not return these values, although it is configured. */
  prometheusFailed?: string;
  /** The limits for the lag, in seconds. */
  thresholds: typeof THRESHOLDS;
  series: Record<SeriesName, Point[]>;
}

/** The longest time between two polls without a browser is 10 s, and a poll can take some seconds. */
const LONGEST_STEP_MS = 25_000;
/** All browsers share a response from Prometheus for this time. */
const KEPT_MS = 10_000;

/**
 * The series for the charts. They come from the console's own samples, or, for longer ranges, from Prometheus
 * if the console has one.
 */
export class Histories {
  readonly #rings: SampleRings;
  readonly #prometheus: Prometheus | undefined;
  readonly #answers = new Map<Range, { at: number; answer: ReturnType<Prometheus['read']> }>();

  constructor(rings: SampleRings, prometheus: Prometheus | undefined) {
    this.#rings = rings;
    this.#prometheus = prometheus;
  }

  /** Never rejects. @param now epoch milliseconds */
  async read(range: Range, now = Date.now()): Promise<History> {
    const { length, every } = RANGE_MS[range];
    const longest = Math.max(LONGEST_STEP_MS, every * 2.5);
    const history: History = {
      range,
      from: now - length,
      to: now,
      source: 'console',
      thresholds: THRESHOLDS,
      series: seriesOf(this.#rings.of(range), longest),
    };
    // Prometheus often collects metrics only once per minute, which is not often enough for a range of five
    // minutes.
    if (!this.#prometheus || range === '5m') return history;
    try {
      const answer = await this.#answer(this.#prometheus, range, now);
      for (const [name, points] of Object.entries(answer))
        history.series[name as SeriesName] = withGaps(points, every * 1.5);
      return { ...history, source: 'prometheus' };
    } catch (error) {
      return { ...history, prometheusFailed: (error as Error).message };
    }
  }

  #answer(prometheus: Prometheus, range: Range, now: number): ReturnType<Prometheus['read']> {
    const kept = this.#answers.get(range);
    if (kept && now - kept.at < KEPT_MS) return kept.answer;
    const { length, every } = RANGE_MS[range];
    const answer = prometheus.read(now - length, now, every);
    answer.catch(() => undefined);
    this.#answers.set(range, { at: now, answer });
    return answer;
  }
}

function seriesOf(samples: readonly StatusSample[], longest: number): History['series'] {
  const rates = (counter: (sample: StatusSample) => number | undefined) => ratePoints(samples, counter);
  const series = {
    applied: rates(({ lag }) => lag?.position),
    arriving: rates(({ end }) => end),
    lagRecords: lagPoints(samples, 'records'),
    lagSeconds: lagPoints(samples, 'seconds'),
    searches: rates(({ searches }) => searches?.count),
    searchTime: searchTimes(samples),
  };
  return Object.fromEntries(
    Object.entries(series).map(([name, points]) => [name, withGaps(points, longest)]),
  ) as History['series'];
}
