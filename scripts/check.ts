import { spawn } from 'node:child_process';

/** What `npm test` checks before it runs anything: types, lint, direction of imports, unused code. */
const CHECKS: [name: string, command: string, ...args: string[]][] = [
  ['types', 'tsc', '--noEmit'],
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
    '--output-type',
    'err',
  ],
  ['unused code', 'knip', '--no-progress'],
];

let failed = 0;
for (const [name, command, ...args] of CHECKS) {
  const started = performance.now();
  const { code, output } = await run(command, args);
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - started)} ms)\n`);
  if (code === 0) continue;
  failed++;
  process.stdout.write(output);
}
process.exit(failed === 0 ? 0 : 1);

function run(command: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ code: 1, output: `${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}
