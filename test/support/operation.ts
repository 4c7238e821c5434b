import { RULES, type Rules } from '@vitrine/listing';
import { connect, type Operation } from '@vitrine/operator';
import { projectorSettings } from '@vitrine/projection';
import { createLog, readSettings } from '@vitrine/runtime';
import type { Deployment } from './deployment.ts';

export interface OperationOptions {
  /** The rules that derive items from states. Default: those of the code. */
  rules?: Rules;
  /** Aborts like an operator's interruption. */
  signal?: AbortSignal;
  env?: Record<string, string>;
}

/** The context of an operator command, inside the test's process. */
export async function createOperation(
  deployment: Deployment,
  { rules = RULES, signal = new AbortController().signal, env = {} }: OperationOptions = {},
): Promise<Operation & { close(): Promise<void> }> {
  const settings = readSettings(projectorSettings, { ...deployment.env, ...env });
  const { operation, close } = await connect(settings, rules, createLog('cli', process.env.TEST_LOG ?? 'silent'), signal);
  return { ...operation, close };
}
