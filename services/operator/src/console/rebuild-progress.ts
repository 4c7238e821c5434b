import { type ProgressView, secondsLeft } from '../progress-rate.ts';
import type { Status } from '../status/status.ts';
import type { ReportedProgress } from './command-runs.ts';
import type { Job } from './jobs.ts';

/**
 * The rebuild that is running now. Its progress comes from one place, so that the page cannot contradict
 * itself.
 */
export interface RebuildProgress {
  /** The number is absent until the builder has registered the generation. */
  generation?: number;
  /** The step, such as `deriving`. It is absent until the builder has reported a step. */
  progress?: ReportedProgress;
  /** This console's job that runs the rebuild. It is absent if another process runs the rebuild. */
  job?: number;
}

const BUILDING = new Set(['replay', 'resume']);

/**
 * Returns the progress of the running rebuild: the report of the console's own job, which is some seconds
 * newer than the status, or the builders' report if another process runs the rebuild. Pure.
 * @param reported the builders' progress with its rate
 */
export function rebuildProgress(
  status: Status | undefined,
  jobs: readonly Job[],
  reported: ProgressView | undefined,
): RebuildProgress | undefined {
  const running = status?.running;
  const job = jobs.find(({ action, endedAt }) => endedAt === undefined && BUILDING.has(action));
  const generation = running?.generation;
  if (job)
    return {
      job: job.id,
      ...(generation !== undefined && { generation }),
      ...(job.progress && { progress: job.progress }),
    };
  if (!running?.alive || generation === undefined) return undefined;
  const left = reported && secondsLeft(reported);
  return {
    generation,
    ...(reported && {
      progress: {
        label: reported.label,
        done: reported.done,
        total: reported.total,
        ...(reported.rate !== undefined && { rate: reported.rate }),
        ...(left !== undefined && { secondsLeft: left }),
      },
    }),
  };
}
