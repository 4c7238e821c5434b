import { type ErrorOutput, jsonError, jsonOutput } from '../exit-code.ts';
import type { Histories } from '../history/history.ts';
import { RANGES } from '../history/status-samples.ts';
import { ActionRequestError, actionRequest } from './action-request.ts';
import type { CommandResult } from './command-runs.ts';
import { type Job, JobRunningError, type Jobs } from './jobs.ts';
import { rebuildProgress } from './rebuild-progress.ts';
import { scanArguments } from './scan-arguments.ts';
import { type Scans, TooManyScansError } from './scans.ts';
import type { StatusWatch } from './status-watch.ts';

/** The result of a request to the API. */
export interface ApiResponse {
  status: number;
  /** The body as JSON text. */
  body: string;
}

export interface ConsoleParts {
  watch: StatusWatch;
  histories: Histories;
  scans: Scans;
  jobs: Jobs;
  allowActions: boolean;
  /** Writes an action to the log. */
  audit(entry: AuditEntry): void;
}

export interface AuditEntry {
  address: string;
  event: 'started' | 'ended' | 'cancelled' | 'refused';
  action?: string;
  arguments?: unknown;
  outcome?: unknown;
}

type Failure = ErrorOutput['error'];
const failure = (status: number, error: Failure): ApiResponse => ({ status, body: jsonError(error) });
const json = (status: number, value: unknown): ApiResponse => ({ status, body: jsonOutput(value) });

/**
 * Answers a read. The response body for a command's route is the text that the command prints with `--json`.
 * @param gone aborts when the client no longer waits
 */
export async function answerRead(
  { watch, histories, scans, jobs, allowActions }: ConsoleParts,
  { pathname, searchParams }: URL,
  gone: AbortSignal,
): Promise<ApiResponse> {
  if (pathname === '/api/status') {
    const { status, failing } = watch.watched;
    if (status && !failing) return json(200, status);
    return failure(503, { kind: 'failed', message: failing?.message ?? 'the console is connecting' });
  }
  if (pathname === '/api/console') {
    const running = scans.running;
    const watched = watch.watched;
    const rebuild = rebuildProgress(watched.status, jobs.list(), watch.rebuild);
    return json(200, {
      allowActions,
      now: Date.now(),
      ...watched,
      ...(rebuild && { rebuild }),
      ...(running && { scan: running }),
      jobs: jobs.list(),
    });
  }
  if (pathname === '/api/history') {
    const range = RANGES.find((one) => one === searchParams.get('range'));
    if (!range) return failure(400, { kind: 'usage', message: `range must be one of ${RANGES.join(', ')}` });
    return json(200, await histories.read(range));
  }
  const [, id] = /^\/api\/jobs\/(\d{1,9})$/.exec(pathname) ?? [];
  if (id !== undefined) {
    const job = jobs.find(Number(id));
    return job ? json(200, job) : failure(404, { kind: 'refused', message: 'there is no such job' });
  }
  const scan = scanArguments(pathname, searchParams);
  if (!scan) return failure(404, { kind: 'usage', message: 'there is no such resource' });
  if ('problem' in scan) return failure(400, { kind: 'usage', message: scan.problem });
  try {
    return printed(await scans.read(scan.argv, gone), scan.printsLines);
  } catch (error) {
    if (!(error instanceof TooManyScansError)) throw error;
    return failure(503, { kind: 'failed', message: error.message });
  }
}

/** A negative answer with a result, such as an unknown listing, counts as a result. */
function printed({ code, stdout }: CommandResult, isLines = false): ApiResponse {
  // After a failure, the last line is the error, even if documents precede it.
  const last = isLines ? (stdout.trimEnd().split('\n').at(-1) ?? '') : stdout;
  const kind = kindOf(last);
  if (kind === undefined) return { status: 200, body: isLines ? asArray(stdout) : stdout };
  const status = { usage: 400, refused: 404, failed: 503, interrupted: 503 }[kind] ?? 500;
  return { status: code === 0 ? 200 : status, body: last };
}

/** The documents from a command that prints one per line, combined into one document. */
const asArray = (stdout: string): string => `[${stdout.split('\n').filter(Boolean).join(',\n')}]\n`;

function kindOf(stdout: string): Failure['kind'] | undefined {
  // Only an error is a single line.
  if (!stdout.startsWith('{"error"')) return undefined;
  return (JSON.parse(stdout) as ErrorOutput).error.kind;
}

/** Answers a request for an action, which the guard has allowed. */
export function answerAction(
  { jobs, audit, watch }: ConsoleParts,
  path: string,
  body: unknown,
  address: string,
): ApiResponse {
  if (path === '/api/jobs/cancel') {
    const id = Number((body as { id?: unknown } | null)?.id);
    if (!jobs.cancel(id)) return failure(409, { kind: 'refused', message: 'this job does not run' });
    const { action, arguments: given } = jobs.find(id) as Job;
    audit({ address, event: 'cancelled', action, arguments: given });
    return json(202, jobs.find(id));
  }
  if (path !== '/api/jobs') return failure(404, { kind: 'usage', message: 'there is no such resource' });
  try {
    const request = actionRequest(body);
    const { action, arguments: given } = request;
    const job = jobs.start(request, ({ state, result }) => {
      audit({ address, event: 'ended', action, arguments: given, outcome: { state, ...summary(result) } });
      watch.pollSoon();
    });
    watch.pollSoon();
    audit({ address, event: 'started', action, arguments: given });
    return json(202, job);
  } catch (error) {
    if (error instanceof ActionRequestError) return failure(400, { kind: 'usage', message: error.message });
    if (error instanceof JobRunningError) return failure(409, { kind: 'refused', message: error.message });
    throw error;
  }
}

/** The numbers and strings of a result, without its lists. */
const summary = (result: unknown): object =>
  Object.fromEntries(Object.entries(result ?? {}).filter(([, value]) => !Array.isArray(value)));
