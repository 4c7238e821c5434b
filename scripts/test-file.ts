import { statSync } from 'node:fs';
import { relative } from 'node:path';
import {
  endOnSignals,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';
import { STOP_GRACE_MS, testEnvironment } from './test-run/mocha-process.ts';
import { filesOf, MOCHA, type Suite } from './test-run/suites.ts';

/**
 * `npm run test:file -- <file or folder> … [options of mocha]` runs test files with their titles, for example
 * `npm run test:file -- test/e2e/query.test.ts -g 'price'`. The files must belong to one suite.
 */
const [arguments_, paths] = [process.argv.slice(2), [] as string[]];
while (arguments_[0] !== undefined && !arguments_[0].startsWith('-'))
  paths.push(relative('.', arguments_.shift() as string));

const within = (file: string) =>
  paths.some((path) => file === path || (isFolder(path) && file.startsWith(`${path}/`)));
const chosen = (['unit', 'e2e', 'faults', 'containers'] as const)
  .map((suite): [Suite, string[]] => [
    suite,
    filesOf(suite).flatMap(({ path }) => (within(path) ? [path] : [])),
  ])
  .filter(([, files]) => files.length > 0);
const [first] = chosen;
if (first === undefined || chosen.length > 1) {
  console.error(
    first === undefined
      ? 'Usage: npm run test:file -- <test file or folder> … [-g <part of the title>]. Not a test file: ' +
          `${paths.join(' ') || '(no file given)'}`
      : `These files belong to several suites: ${chosen.map(([suite]) => suite).join(', ')}. Run one ` +
          'suite at a time.',
  );
  process.exit(2);
}
const [suite, files] = first;
const supervisor = new ProcessSupervisor();
const ending = new AbortController();
endOnSignals(ending);
const mocha = supervisor.spawn('mocha', ['--no-config', ...MOCHA[suite], ...files, ...arguments_], {
  stdio: 'inherit',
  env: testEnvironment(process.env),
});
ending.signal.addEventListener('abort', () => void mocha.stop(STOP_GRACE_MS));
const { code } = await mocha.exited;
await supervisor.end();
process.exit(ending.signal.aborted ? INTERRUPTED_EXIT_CODE : (code ?? 1));

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
