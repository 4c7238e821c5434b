import { EnginesError } from '@vitrine/engines';
import { endOnSignals, InterruptedError } from '@vitrine/runtime/processes';
import { SettingsError } from '@vitrine/runtime/settings';
import {
  assertFree,
  consolePorts,
  ingestPorts,
  PortsTakenError,
  projectorPorts,
  queryPorts,
  sitePorts,
} from './ports.ts';
import { Screen } from './screen.ts';
import { ServiceDiedError } from './service-child.ts';
import { runSession, type SessionPlan } from './session.ts';
import { readDemoSettings } from './settings.ts';

const FAILED = 1;

/** A failure with a complete message for the user at the terminal. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

export interface SessionCommand {
  /** The command as a user types it, for example `npm start`. */
  name: string;
  /** Whether the ingest also runs. */
  hasIngest: boolean;
  plan: SessionPlan;
}

/** Runs a session until Ctrl-C or a failure. @returns the exit code */
export async function runSessionCommand({ name, hasIngest, plan }: SessionCommand): Promise<number> {
  const ending = new AbortController();
  try {
    const settings = readDemoSettings(process.env, hasIngest ? 3 : 2);
    endOnSignals(ending);
    await assertFree([
      ...queryPorts(settings),
      ...projectorPorts(settings),
      ...(hasIngest ? ingestPorts(settings) : []),
      ...sitePorts(settings),
      ...(settings.needsConsole ? consolePorts(settings) : []),
    ]);
    const screen = new Screen(process.stdout, process.env);
    return await runSession({ settings, env: process.env, screen, ending }, plan);
  } catch (error) {
    // A failure during the shutdown is a consequence of the shutdown, not its cause.
    const reason: unknown = ending.signal.aborted ? ending.signal.reason : error;
    if (reason instanceof InterruptedError) return 0;
    console.error(describe(name, reason));
    return FAILED;
  }
}

function describe(name: string, reason: unknown): string {
  const isPlain = [SettingsError, PortsTakenError, EnginesError, ServiceDiedError, DemoError].some(
    (type) => reason instanceof type,
  );
  if (isPlain && reason instanceof Error) return reason.message;
  return `${name} failed: ${reason instanceof Error ? reason.message : String(reason)}`;
}
