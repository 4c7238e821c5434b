import type { ReportedProgress } from '../../../../../services/operator/src/console/command-runs.ts';
import type { Job } from '../../../../../services/operator/src/console/jobs.ts';
import type { RebuildProgress } from '../../../../../services/operator/src/console/rebuild-progress.ts';
import type { RunningScan } from '../../../../../services/operator/src/console/scans.ts';
import type { WatchedStatus } from '../../../../../services/operator/src/console/status-watch.ts';
import type { ExplainedGeneration } from '../../../../../services/operator/src/explain/explanation.ts';

export type {
  DeadLetterGroup,
  DeadLetterList,
} from '../../../../../services/operator/src/dead-letters/dead-letter-collector.ts';
export type { RetryResult } from '../../../../../services/operator/src/dead-letters/retry-dead-letters.ts';
export type {
  Content,
  ShownDeadLetter,
} from '../../../../../services/operator/src/dead-letters/show-dead-letter.ts';
export type { DeadLetterSummary } from '../../../../../services/operator/src/dead-letters/stored-dead-letter.ts';
export type {
  ExplainedDate,
  ExplainedGeneration,
  Explanation,
  Verdict,
} from '../../../../../services/operator/src/explain/explanation.ts';
export type { History } from '../../../../../services/operator/src/history/history.ts';
export type { Listed, ListKind } from '../../../../../services/operator/src/listings/listed.ts';
export type { LastReconciliation } from '../../../../../services/operator/src/reconcile/recorded-rows.ts';
export type { HealthProblem } from '../../../../../services/operator/src/status/health-problem.ts';
export type { GenerationStatus, Status } from '../../../../../services/operator/src/status/status.ts';
export type { Comparison } from '../../../../../services/operator/src/verify/compare-generations.ts';
export type { Difference } from '../../../../../services/operator/src/verify/difference.ts';
export type { VerificationResult } from '../../../../feed-index/src/generation-record.ts';
export type { Job, ReportedProgress };

/** The version of an event: a number, or a pair of epoch and number. */
export type Version = NonNullable<ExplainedGeneration['state']>['removed'];

/** The response from `/api/console`. */
export interface ConsoleState extends WatchedStatus {
  allowActions: boolean;
  /** The current time, in epoch milliseconds. */
  now: number;
  scan?: RunningScan;
  rebuild?: RebuildProgress;
  jobs: Job[];
}
