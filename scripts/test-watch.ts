import { existsSync, globSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { type OwnedProcess, ProcessSupervisor } from '../packages/runtime/src/processes/index.ts';
import { affectedTests, type ImportGraph, importsOf, readEntries } from './test-run/import-graph.ts';
import { testEnvironment } from './test-run/mocha-process.ts';
import { filesOf, MOCHA } from './test-run/suites.ts';

/** `npm run test:watch` runs, after each save, the unit tests that depend on the saved files. */
const FOLDERS = ['packages', 'services', 'demo', 'scripts', 'infra', 'test/support'];
/** The run starts this long after the last change, because an editor writes a file in several steps. */
const SETTLED_MS = 100;

const entries = readEntries();
const graph: ImportGraph = new Map();
const load = (path: string) => graph.set(path, importsOf(path, readFileSync(path, 'utf8'), entries));
for (const path of globSync(`{${FOLDERS.join(',')}}/**/*.ts`, {
  exclude: (name) => name.includes('node_modules'),
}))
  load(path);

const changed = new Set<string>();
let timer: NodeJS.Timeout | undefined;
const supervisor = new ProcessSupervisor();
let running: OwnedProcess | undefined;

for (const folder of FOLDERS)
  watch(folder, { recursive: true }, (_event, name) => {
    const path = name === null ? '' : join(folder, name);
    if (!/\.(ts|json)$/.test(path) || path.includes('node_modules')) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(run, SETTLED_MS);
  });
process.stdout.write(
  `Watching ${graph.size} files. Saving a file runs the unit tests that depend on it. Ctrl-C stops.\n`,
);

/** Runs the tests for all changes since the last run that passed. If a run is in progress, it ends first. */
function run(): void {
  if (running !== undefined) {
    void running.stop(0);
    return;
  }
  for (const path of changed)
    if (!existsSync(path)) graph.delete(path);
    else if (path.endsWith('.ts')) load(path);
  const tests = affectedTests([...changed], graph, new Set(filesOf('unit').map(({ path }) => path)));
  if (tests.length === 0) {
    process.stdout.write(`\nNo unit test depends on ${[...changed].join(', ')}.\n`);
    changed.clear();
    return;
  }
  const covered = new Set(changed);
  const begun = performance.now();
  process.stdout.write(`\n${tests.length} test files depend on ${[...changed].join(', ')}\n`);
  const mocha = supervisor.spawn('mocha', ['--no-config', ...MOCHA.unit, '--reporter', 'dot', ...tests], {
    stdio: 'inherit',
    env: testEnvironment(process.env),
  });
  running = mocha;
  void mocha.exited.then(({ code }) => {
    running = undefined;
    if (code !== null)
      process.stdout.write(`${((performance.now() - begun) / 1_000).toFixed(1)} s. Watching …\n`);
    // If a newer save ended this run, or this run failed, the next run covers its files again.
    if (code === null) return run();
    if (code === 0) for (const path of covered) changed.delete(path);
  });
}
