import type { Status } from '../status/status.ts';

/** The numbers of one status that the live charts need. Counters increase, so a page can derive rates. */
export interface StatusSample {
  /** Epoch milliseconds. */
  at: number;
  live?: number;
  /** Sum of the end offsets of the events topic. */
  end: number;
  /** Searches of the live items so far, and their time in milliseconds. */
  searches?: { count: number; milliseconds: number };
  generations: { number: number; records?: number; seconds?: number; items?: number }[];
  running?: { phase?: string; done?: number; total?: number };
}

/** Five minutes at one sample per 2 s. */
const MAX_SAMPLES = 150;
const KEPT_MS = 300_000;

/** Reduces a status to a sample. Pure. */
export function sampleOf({ generations, events, running }: Status, at: number): StatusSample {
  const live = generations.find(({ role }) => role === 'live');
  return {
    at,
    end: events.end,
    ...(live && { live: live.number }),
    ...(live?.searches && { searches: live.searches }),
    generations: generations.map(({ number, lag, items }) => ({
      number,
      ...(lag && { records: lag.records, seconds: lag.seconds }),
      ...(items !== undefined && { items }),
    })),
    ...(running && {
      running: {
        ...(running.phase && { phase: running.phase }),
        ...(running.done !== undefined && { done: running.done }),
        ...(running.total !== undefined && { total: running.total }),
      },
    }),
  };
}

/** Adds a sample, and drops those that are too old. Pure. */
export const withSample = (samples: readonly StatusSample[], sample: StatusSample): StatusSample[] =>
  [...samples, sample].filter(({ at }) => sample.at - at <= KEPT_MS).slice(-MAX_SAMPLES);
