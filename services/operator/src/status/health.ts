import { isBuilderClient } from '@vitrine/feed-index';
import type { HealthProblem } from './health-problem.ts';
import type { GenerationStatus, Status } from './status.ts';

/**
 * The limits at which a number needs attention. The alerts in `infra/prometheus/alerts.yaml` use the same
 * 60 s (ProjectionLags) and 300 s (OpenTransaction, EventsArriveLate).
 */
export const THRESHOLDS = { lagSeconds: { warn: 60, bad: 300 } } as const;

/** Finds what needs attention in one status, the worst first. Pure. */
export function healthOf(status: Omit<Status, 'health'>): HealthProblem[] {
  const { generations, otherModule, running, selfCheck, reconciliation } = status;
  const live = generations.find(({ role }) => role === 'live');
  const problems: HealthProblem[] = live
    ? problemsOfLive(live)
    : [{ code: 'no-live-generation', level: 'bad' }];
  if (otherModule !== undefined)
    problems.push({ code: 'other-rules-module', level: 'warn', message: otherModule });
  const unfinished = generations.find(({ role }) => role === 'unfinished');
  if (unfinished && running?.alive !== true)
    problems.push({ code: 'rebuild-interrupted', level: 'warn', generation: unfinished.number });
  const { outcome, unrepaired = 0 } = selfCheck?.last ?? {};
  if (outcome === 'failed' || outcome === 'unrepaired')
    problems.push({ code: 'verify-failed', level: outcome === 'failed' ? 'warn' : 'bad', unrepaired });
  if (reconciliation) {
    const { missing, extra, different, failed } = reconciliation;
    const differences = missing + extra + different;
    if (differences > 0) problems.push({ code: 'reconcile-differs', level: 'warn', differences });
    if (failed) problems.push({ code: 'reconcile-failed', level: 'warn', message: failed.error });
  }
  return worstFirst(problems);
}

/** Whether a projector reads the events for the generation. A builder only fills a new generation. Pure. */
export const hasProjector = ({ members }: Pick<GenerationStatus, 'members'>): boolean =>
  members.some(({ clientId }) => !isBuilderClient(clientId));

function problemsOfLive(live: GenerationStatus): HealthProblem[] {
  const { number: generation, trouble, topicTrouble, lag } = live;
  const problems: HealthProblem[] = [trouble, topicTrouble].flatMap((message) =>
    message === undefined
      ? []
      : [{ code: 'generation-trouble' as const, level: 'bad' as const, generation, message }],
  );
  const { records = 0, seconds = 0, capped = false, openTransactions = [] } = lag ?? {};
  if (!hasProjector(live)) problems.push({ code: 'projector-missing', level: 'bad', records });
  else if (lagLevel(live) !== undefined)
    problems.push({ code: 'feed-behind', level: lagLevel(live) ?? 'warn', records, seconds, capped });
  for (const { partition, seconds, capped } of openTransactions)
    if (capped || seconds > THRESHOLDS.lagSeconds.bad)
      problems.push({ code: 'open-transaction', level: 'bad', partition, seconds, capped });
  return problems;
}

function lagLevel({ lag }: GenerationStatus): HealthProblem['level'] | undefined {
  const { warn, bad } = THRESHOLDS.lagSeconds;
  if (!lag || lag.records === 0) return undefined;
  if (lag.capped || lag.seconds >= bad) return 'bad';
  return lag.seconds >= warn ? 'warn' : undefined;
}

/** Sorts without changing the order within a level. Pure. */
export const worstFirst = (problems: readonly HealthProblem[]): HealthProblem[] =>
  [...problems].sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'));
