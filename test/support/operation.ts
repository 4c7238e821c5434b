import { createLog, readSettings } from '@vitrine/runtime';
import { connect } from '../../services/projector/src/cli/connect.ts';
import { RULES, type Rules } from '../../services/projector/src/feed-item.ts';
import type { Operation } from '../../services/projector/src/operation.ts';
import { projectorSettings } from '../../services/projector/src/settings.ts';
import type { Deployment } from './deployment.ts';

export interface OperationOptions {
  /** How states become items; those of the code where nothing is said. */
  rules?: Rules;
  /** The operator's interruption. */
  signal?: AbortSignal;
  env?: Record<string, string>;
}

/** What an operator's command works with, inside the test's own process. */
export async function createOperation(
  deployment: Deployment,
  { rules = RULES, signal = new AbortController().signal, env = {} }: OperationOptions = {},
): Promise<Operation & { close(): Promise<void> }> {
  const settings = readSettings(projectorSettings, { ...deployment.env, ...env });
  const { operation, close } = await connect(settings, rules, createLog('cli', process.env.TEST_LOG ?? 'silent'), signal);
  return { ...operation, close };
}
