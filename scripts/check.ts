import { once } from 'node:events';
import {
  endOnSignals,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';

/** The checks that `npm test` runs: types, lint, direction of imports, unused code. */
const CHECKS: [name: string, command: string, ...args: string[]][] = [
  ['types', 'tsc', '--noEmit'],
  ['types of the pages', 'tsc', '--noEmit', '-p', 'packages/web/src/browser'],
  ['lint and format', 'biome', 'ci', '--colors=off', '--max-diagnostics=20', '.'],
  [
    'direction of imports',
    'depcruise',
    '--config',
    '.dependency-cruiser.cjs',
    'packages',
    'services',
    'demo',
    'test',
    'bench',
    'scripts',
    'infra',
    '--output-type',
    'err',
  ],
  ['unused code', 'knip', '--no-progress'],
];

const supervisor = new ProcessSupervisor();
const ending = new AbortController();
endOnSignals(ending);
ending.signal.addEventListener(
  'abort',
  () => void supervisor.end().finally(() => process.exit(INTERRUPTED_EXIT_CODE)),
);

let failed = 0;
for (const [name, command, ...args] of CHECKS) {
  const started = performance.now();
  const { code, output } = await run(command, args);
  process.stdout.write(
    `${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - started)} ms)\n`,
  );
  if (code === 0) continue;
  failed++;
  process.stdout.write(output);
}
process.exit(failed === 0 ? 0 : 1);

async function run(command: string, args: string[]): Promise<{ code: number; output: string }> {
  const { child } = supervisor.spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The code does not wait for `exit`, because the last output may arrive after that event.
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, output: Buffer.concat(chunks).toString() };
}
