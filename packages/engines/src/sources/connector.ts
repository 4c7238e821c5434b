import { setTimeout as delay } from 'node:timers/promises';
import { EnginesError } from '../engine-control.ts';

const START_LIMIT_MS = 120_000;
const ASK_EVERY_MS = 200;
const TRACE_LINES = 12;

export interface ConnectorOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A part of a response to `GET /connectors/NAME/status`. */
interface ConnectorStatus {
  readonly connector: ConnectorPart;
  readonly tasks: readonly ConnectorPart[];
}

interface ConnectorPart {
  readonly state: string;
  readonly trace?: string;
}

/**
 * Creates or changes a connector in a Kafka Connect cluster, and waits until the connector and its task are
 * running.
 * @param url the address of the REST interface
 * @throws EnginesError with the reason that Connect gives, or with the trace of the failed part
 */
export async function putConnector(
  url: string,
  name: string,
  config: Readonly<Record<string, string>>,
  { signal }: ConnectorOptions = {},
): Promise<void> {
  const connector = new URL(`/connectors/${encodeURIComponent(name)}/`, url);
  const limit = AbortSignal.any([AbortSignal.timeout(START_LIMIT_MS), ...(signal ? [signal] : [])]);
  let last = 'Connect gave no status';
  try {
    for (let isAccepted = false; ; await delay(ASK_EVERY_MS, undefined, { signal: limit })) {
      if (!isAccepted) {
        const response = await fetch(new URL('config', connector), {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(config),
          signal: limit,
        });
        const text = await response.text();
        isAccepted = response.ok;
        // 409: the workers are assigning tasks among themselves, so the request succeeds later.
        if (!isAccepted && response.status !== 409)
          throw new EnginesError(`Connect refused the connector ${name}: ${messageOf(text)}`);
        last = isAccepted ? last : messageOf(text);
        continue;
      }
      const response = await fetch(new URL('status', connector), { signal: limit });
      const text = await response.text();
      if (!response.ok) {
        last = messageOf(text);
        continue;
      }
      const progress = connectorProgress(JSON.parse(text) as ConnectorStatus);
      if (progress === 'running') return;
      if (progress.failure !== undefined)
        throw new EnginesError(`The connector ${name} failed:\n${progress.failure}`);
      last = progress.waitsFor;
    }
  } catch (error) {
    if (error instanceof EnginesError) throw error;
    signal?.throwIfAborted();
    if (limit.aborted)
      throw new EnginesError(
        `The connector ${name} was not running after ${START_LIMIT_MS / 1000} s: ${last}`,
      );
    throw new EnginesError(`Connect at ${url} did not respond`, { cause: error });
  }
}

/** Determines from a status whether a connector is running, has failed, or is still starting. */
export function connectorProgress({
  connector,
  tasks,
}: ConnectorStatus): 'running' | { failure?: string; waitsFor: string } {
  const parts = [connector, ...tasks];
  const failed = parts.find(({ state }) => state === 'FAILED');
  const waitsFor = `its state is ${connector.state}, and its tasks are ${
    tasks.map(({ state }) => state).join(', ') || 'not there yet'
  }`;
  if (failed !== undefined) return { failure: reasonOf(failed.trace ?? 'Connect gave no reason'), waitsFor };
  return tasks.length > 0 && parts.every(({ state }) => state === 'RUNNING') ? 'running' : { waitsFor };
}

/** Returns the causes in a Java stack trace, without the frames. */
function reasonOf(trace: string): string {
  return trace
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+(at |\.\.\. )/.test(line))
    .slice(0, TRACE_LINES)
    .join('\n');
}

/** Returns the message in a JSON error from Connect. Text in any other form comes from another program. */
function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
