import type { ActionRequest } from './action-request.ts';
import { ProgressReport, type ReportedProgress, type RunCommand } from './command-runs.ts';

type JobState = 'running' | 'cancelling' | 'done' | 'refused' | 'failed' | 'cancelled';

/** An action that the page has started. */
export interface Job {
  id: number;
  action: string;
  arguments: Record<string, unknown>;
  state: JobState;
  /** The start time in ISO 8601. */
  startedAt: string;
  endedAt?: string;
  progress?: ReportedProgress;
  /** The last part of the messages that the command wrote for people. */
  messages: string;
  /** Whether the command gave a negative answer, such as differences or records that are refused again. */
  isNegative?: true;
  /** What the command line's `--json` prints. */
  result?: unknown;
}

/** Another job is running, so no new job can start. */
export class JobRunningError extends Error {
  override readonly name = 'JobRunningError';
}

const KEPT = 20;
const LONGEST_MESSAGES = 4_000;
const REFUSED = 3;

interface OwnJob {
  job: Job;
  cancel: AbortController;
  progress: ProgressReport;
  ended: Promise<void>;
}

/** Runs one action at a time, and keeps the results of the last ones. */
export class Jobs {
  readonly #run: RunCommand;
  #jobs: OwnJob[] = [];
  #last = 0;

  constructor(run: RunCommand) {
    this.#run = run;
  }

  /**
   * Starts an action.
   * @param onEnd receives the job after its end
   * @throws JobRunningError
   */
  start({ action, arguments: given, argv }: ActionRequest, onEnd: (job: Job) => void): Job {
    const running = this.#running;
    if (running) throw new JobRunningError(`the action ${running.job.action} is still running`);
    const cancel = new AbortController();
    const progress = new ProgressReport();
    const job: Job = {
      id: ++this.#last,
      action,
      arguments: given,
      state: 'running',
      startedAt: new Date().toISOString(),
      messages: '',
    };
    const work = async () => {
      const { code, stdout } = await this.#run(argv, {
        signal: cancel.signal,
        onProgress: progress.report,
        onMessage: (text) => {
          job.messages = (job.messages + text).slice(-LONGEST_MESSAGES);
        },
      });
      const result = parsed(stdout);
      job.result = result;
      job.endedAt = new Date().toISOString();
      job.state = stateOf(code, result);
      if (job.state === 'done' && code === REFUSED) job.isNegative = true;
      onEnd(job);
    };
    this.#jobs = [...this.#jobs, { job, cancel, progress, ended: work() }].slice(-KEPT);
    return job;
  }

  /** Asks a running job to end. Returns false if no such job is running. */
  cancel(id: number): boolean {
    const own = this.#running;
    if (own?.job.id !== id) return false;
    own.job.state = 'cancelling';
    own.cancel.abort(new Error('cancelled in the console'));
    return true;
  }

  /** The jobs, newest first, without their results. */
  list(): Job[] {
    return this.#jobs
      .map(withProgress)
      .map(({ result: _, ...job }) => job)
      .reverse();
  }

  find(id: number): Job | undefined {
    const own = this.#jobs.find(({ job }) => job.id === id);
    return own && withProgress(own);
  }

  /** Cancels the running job and waits for its end. */
  async close(): Promise<void> {
    const own = this.#running;
    if (!own) return;
    this.cancel(own.job.id);
    await own.ended;
  }

  get #running(): OwnJob | undefined {
    return this.#jobs.find(({ job }) => job.endedAt === undefined);
  }
}

const withProgress = ({ job, progress }: OwnJob): Job => ({
  ...job,
  ...(progress.latest && { progress: progress.latest }),
});

function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return { error: { kind: 'failed', message: stdout } };
  }
}

/** A negative answer, such as a comparison with differences, is a result too. */
function stateOf(code: number, result: unknown): JobState {
  const error = (result as { error?: { kind?: string } } | null)?.error;
  if (error?.kind === 'interrupted') return 'cancelled';
  if (error) return code === REFUSED ? 'refused' : 'failed';
  return 'done';
}
