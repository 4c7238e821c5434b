import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';

/**
 * `npm run test:cluster` runs the documented installation and an operator's day on the cluster that
 * KUBECONFIG names, in a namespace of its own. The command removes the namespace at the end, even after an
 * interrupt. Without KUBECONFIG, it reports that it skipped the tests. VITRINE_CLUSTER_NODE and other
 * variables permit more steps (test/cluster/support/permissions.ts). The exit code is 0 if everything passed
 * or was skipped, 1 if not, and 130 after an interrupt.
 */
const STOP_GRACE_MS = 20_000;

exitWithReader(process.stdout, process.stderr);
if (!process.env['KUBECONFIG']) {
  process.stdout.write(
    'Skipped the tests in a cluster: KUBECONFIG names none.\n' +
      `\n0 passed, 0 failed, ${globSync('test/cluster/*.test.ts').length} skipped\n`,
  );
  process.exit(0);
}
const ending = new AbortController();
endOnSignals(ending);
const supervisor = new ProcessSupervisor();
const namespace = `vitrine-test-${process.pid}`;
const tests = supervisor.spawn(process.execPath, ['scripts/test.ts', 'cluster'], {
  stdio: 'inherit',
  env: { ...process.env, VITRINE_CLUSTER_NAMESPACE: namespace },
});
ending.signal.addEventListener('abort', () => void tests.stop(STOP_GRACE_MS));
const { code } = await tests.exited;
await supervisor.end();
const removed = spawnSync(
  'kubectl',
  ['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=5m'],
  { stdio: 'inherit' },
);
if (ending.signal.aborted) process.exit(INTERRUPTED_EXIT_CODE);
process.exit(code === 0 && removed.status === 0 ? 0 : 1);
