import { trace } from '@opentelemetry/api';
import type { Log } from '@vitrine/runtime/log';
import type { Histogram } from 'prom-client';

/** A finished call of a tool. */
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
    // The arguments may contain text of a person.
    log.info({ requestId, tool, outcome, seconds }, 'tool call');
  };
