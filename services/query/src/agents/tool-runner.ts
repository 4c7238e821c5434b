import { trace } from '@opentelemetry/api';
import type { Log } from '@vitrine/runtime/log';
import type { Histogram } from 'prom-client';
import type { ClientShares } from '../budget/client-shares.ts';
import type { RequestBudget } from '../budget/request-budget.ts';
import { isTooLarge } from '../budget/request-budget.ts';
import { ChangeDetailsMissing } from '../search/changes/changes-search.ts';
import { ChangesMissing } from '../search/changes/changes-view.ts';
import { FieldsMissing } from '../search/live/live-fields.ts';
import { untilAborted } from '../search/shared-resource.ts';
import type { FailureLog } from '../telemetry/failure-log.ts';
import { type FailureKind, failureKind } from '../telemetry/failure-log.ts';
import type { AgentTool } from './agent-tools.ts';
import { UnknownListing } from './by-id/find-listings.ts';
import { ExpiredChanges } from './list-changes.ts';
import { type FittedAnswer, type FittedError, fitted, fittedError } from './token-budget.ts';
import { BadArguments } from './tool-arguments.ts';

/** The way in which a tool call ended. */
type ToolOutcome = 'answered' | 'bad_arguments' | 'not_found' | 'too_large' | FailureKind;

/** An answer, or the reason why there is none. Both are within the token budget. */
export type ToolResult = { answer: FittedAnswer } | { error: FittedError; outcome: ToolOutcome };

export interface ToolRunnerOptions {
  /** Admits calls together with the pages of the feeds. */
  shares: ClientShares;
  /** Maximum duration of a call, in milliseconds. */
  deadlineMs: number;
  /** Called after each call. */
  record: RecordCall;
  failures: FailureLog;
}

export interface CallingRequest {
  requestId: string;
  url: string;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** The budget of the whole request, which all calls in a batch share. */
  budget: RequestBudget;
}

export type RunTool = (tool: AgentTool, given: unknown, request: CallingRequest) => Promise<ToolResult>;

/** Creates a function that calls a tool within the limits, and logs and counts the call. */
export function createToolRunner(options: ToolRunnerOptions): RunTool {
  const { shares, deadlineMs, record, failures } = options;
  return async (tool, given, { requestId, url, budget, signal: disconnected }) => {
    const start = performance.now();
    const signal = AbortSignal.any([disconnected, AbortSignal.timeout(deadlineMs)]);
    let outcome: ToolOutcome = 'answered';
    try {
      const answer = await untilAborted(
        shares.pass(budget.client, async () => fitted(await tool.call(given, budget, signal)), signal),
        signal,
      );
      return { answer };
    } catch (error) {
      outcome = outcomeOf(error);
      if (isFailure(outcome) && !disconnected.aborted) failures.requestFailed(error, { requestId, url });
      return { error: fittedError(isFailure(outcome) ? MESSAGES[outcome] : messageOf(error)), outcome };
    } finally {
      const seconds = (performance.now() - start) / 1_000;
      record({ tool: tool.name, outcome, seconds, requestId });
    }
  };
}

const MESSAGES: Record<FailureKind, string> = {
  outage: 'The feed is temporarily unavailable. Try again in 5 seconds.',
  overload: 'The service is handling too many requests. Try again in 5 seconds.',
  fault: 'The service could not process this call.',
};

/** Explains `FieldsMissing` to agents. */
export const FIELDS_MISSING =
  'sort rating and total_price, state, min_rating, nights and limits of the total work after the next rebuild ' +
  'of the index. Leave them out.';

const isFailure = (outcome: ToolOutcome): outcome is FailureKind => outcome in MESSAGES;

function outcomeOf(error: unknown): ToolOutcome {
  if (error instanceof BadArguments) return 'bad_arguments';
  if (error instanceof UnknownListing || error instanceof ExpiredChanges) return 'not_found';
  if (error instanceof ChangesMissing || error instanceof ChangeDetailsMissing) return 'not_found';
  if (error instanceof FieldsMissing) return 'not_found';
  if (isTooLarge(error)) return 'too_large';
  return failureKind(error);
}

function messageOf(error: unknown): string {
  if (isTooLarge(error))
    return 'This call needs more data than one request may read. Send it alone, or with a lower limit.';
  if (error instanceof ChangesMissing) return 'Changes are available after the next rebuild of the index.';
  if (error instanceof ChangeDetailsMissing)
    return 'kind, city and category work for changes after the next rebuild of the index. Leave them out.';
  if (error instanceof FieldsMissing) return FIELDS_MISSING;
  return error instanceof Error ? error.message : String(error);
}

interface FinishedCall {
  tool: string;
  outcome: string;
  seconds: number;
  requestId: string;
}

/** Counts a call, logs it in one line, and adds it to the request's span. */
export type RecordCall = (call: FinishedCall) => void;

/** @param duration records the duration of each call in seconds, by `tool` and `outcome` */
export const createCallRecorder =
  (duration: Histogram<'tool' | 'outcome'>, log: Log): RecordCall =>
  ({ tool, outcome, seconds, requestId }) => {
    duration.observe({ tool, outcome }, seconds);
    trace.getActiveSpan()?.setAttributes({ 'vitrine.tool': tool, 'vitrine.tool.outcome': outcome });
    // The arguments may contain text that a person wrote.
    log.info({ requestId, tool, outcome, seconds }, 'tool call');
  };
