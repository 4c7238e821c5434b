import { projectorSettings } from '@vitrine/projection/settings';
import { type ProjectorOptions, startProjector } from '@vitrine/projector';
import { createLog } from '@vitrine/runtime/log';
import { readSettings } from '@vitrine/runtime/settings';
import type { Deployment } from './deployment.ts';

export interface RunningProjector {
  /** Scheme, host and port of health and metrics. */
  admin: string;
  failed: Promise<Error>;
  /** The reasons why it is not ready. Empty if it is ready. */
  reasons(): Promise<string[]>;
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** The projector inside the test's process, for faults of its environment and not of its process. */
export async function inProcess(
  deployment: Deployment,
  env: Record<string, string> = {},
  options?: ProjectorOptions,
): Promise<RunningProjector> {
  const settings = readSettings(projectorSettings, { ...deployment.env, ...env });
  const projector = await startProjector(
    settings,
    createLog('projector', process.env.TEST_LOG ?? 'silent'),
    options,
  );
  const admin = `http://127.0.0.1:${projector.adminPort}`;
  return {
    admin,
    failed: projector.failed,
    stop: projector.stop,
    reasons: async () =>
      ((await (await fetch(`${admin}/health/ready`)).json()) as { reasons: string[] }).reasons,
    metric: async (name) => {
      const lines = (await (await fetch(`${admin}/metrics`)).text())
        .split('\n')
        .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
  };
}
