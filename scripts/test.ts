import { spawn } from 'node:child_process';

/**
 * `npm test`: the checks, the pure tests, then everything on the real engines; all of it runs, also
 * after a failure, and the last line says what passed. Names of steps as arguments run only those;
 * VITRINE_FULL=1 runs the long forms of the tests.
 */
const STEPS: [name: string, command: string, ...args: string[]][] = [
  ['checks', 'node', 'scripts/check.ts'],
  ['pure tests', 'mocha'],
  ['end to end', 'mocha', '--config', 'test/.mocharc.e2e.json'],
  ['faults', 'mocha', '--config', 'test/.mocharc.faults.json'],
];

const counts = { passing: 0, failing: 0, pending: 0 };
let failed = false;
const wanted = process.argv.slice(2);
for (const [name, command, ...args] of STEPS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stdout.write(`\n── ${name}\n`);
  const started = performance.now();
  const code = await run(command, args);
  process.stdout.write(`── ${name}: ${code === 0 ? 'ok' : 'FAILED'} in ${Math.round((performance.now() - started) / 1000)} s\n`);
  failed ||= code !== 0;
}
process.stdout.write(`\n${counts.passing} passed, ${counts.failing} failed, ${counts.pending} skipped\n`);
process.exit(failed || counts.passing === 0 ? 1 : 0);

/** Runs a step, shows what it says, and adds up mocha's closing lines. */
function run(command: string, args: string[]): Promise<number> {
  return new Promise((resolve) => {
    // kafkajs computes a negative time-out now and then, which Node 24 warns about and rounds up, as meant.
    const env = { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --disable-warning=TimeoutNegativeWarning` };
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      for (const [, count, kind] of text.matchAll(/^\s+(\d+) (passing|failing|pending)\b/gm)) counts[kind as keyof typeof counts] += Number(count);
    });
    const interrupt = () => child.kill('SIGINT');
    process.once('SIGINT', interrupt);
    child.on('error', () => resolve(1));
    child.on('close', (code) => {
      process.off('SIGINT', interrupt);
      resolve(code ?? 1);
    });
  });
}
