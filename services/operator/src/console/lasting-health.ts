import { hasProjector, worstFirst } from '../status/health.ts';
import type { HealthProblem } from '../status/health-problem.ts';
import type { Status } from '../status/status.ts';

/** The problems in the last status, and the facts with which the next status is compared. */
export interface LastingHealth {
  problems: readonly HealthProblem[];
  /**
   * The live generation, its position in the events, and the time at which it was first seen with unfinished
   * records there.
   */
  progress?: { generation: number; position: number; isIdle: boolean; at: number };
}

/** A chunk of large listings takes some seconds, and so does a rebalance. */
const STALLED_AFTER_MS = 15_000;

/**
 * Adds to each problem in a status the time when the console first saw it, and adds a problem if the
 * projector is not working at all. Pure.
 * @param at the time of the status in epoch milliseconds
 */
export function lastingHealth(before: LastingHealth, status: Status, at: number): LastingHealth {
  const live = status.generations.find(({ role }) => role === 'live');
  const { generation, position, isIdle = true, at: reachedAt = at } = before.progress ?? {};
  const { lag } = live ?? {};
  const hasWaited = !isIdle && generation === live?.number && position === lag?.position;
  const progress = live &&
    lag && {
      generation: live.number,
      position: lag.position,
      isIdle: lag.records === 0,
      at: hasWaited ? reachedAt : at,
    };
  const isStalled =
    live && hasProjector(live) && progress && !progress.isIdle && at - progress.at >= STALLED_AFTER_MS;
  const found: HealthProblem[] = isStalled
    ? [
        {
          code: 'projector-stalled',
          level: 'bad',
          records: live.lag?.records ?? 0,
          since: progress.at,
        },
        ...status.health.filter(({ code }) => code !== 'feed-behind'),
      ]
    : status.health;
  return {
    problems: worstFirst(found.map((problem) => ({ since: sinceOf(before, problem) ?? at, ...problem }))),
    ...(progress && { progress }),
  };
}

const sinceOf = ({ problems }: LastingHealth, { code }: HealthProblem): number | undefined =>
  problems.find((problem) => problem.code === code)?.since;
