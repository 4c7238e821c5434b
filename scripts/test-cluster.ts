import { globSync } from 'node:fs';
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';

/**
 * `npm run test:cluster` runs the documented installation and an operator's day on the cluster that KUBECONFIG
 * names, in a namespace of its own that it removes. Without KUBECONFIG, it reports that it skipped the tests.
 * Exit code: 0 if everything passed or was skipped, 1 if not, 130 after an interrupt.
 */
/** The time that the tests may need to remove their namespace after an interrupt. */
const STOP_GRACE_MS = 120_000;

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
const tests = supervisor.spawn(process.execPath, ['scripts/test.ts', 'cluster'], { stdio: 'inherit' });
ending.signal.addEventListener('abort', () => void tests.stop(STOP_GRACE_MS));
const { code } = await tests.exited;
await supervisor.end();
process.exit(ending.signal.aborted ? INTERRUPTED_EXIT_CODE : code === 0 ? 0 : 1);
