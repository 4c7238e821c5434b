import { createWriteStream, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cacheFolder } from '../packages/engines/src/testing.ts';
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';
import { HELP, parseCommand } from './test-matrix/command-line.ts';
import { canRunOtherNodes, nodeFolder } from './test-matrix/node-runtime.ts';
import { type RowResult, readOutput, renderTotals } from './test-matrix/row-result.ts';
import { allRows, nameOf, type Row, selectRows } from './test-matrix/rows.ts';
import { STOP_GRACE_MS } from './test-run/mocha-process.ts';
import { duration } from './test-run/report.ts';

/**
 * `npm run test:matrix` runs tests on each supported version of Elasticsearch, Kafka and Node (docs/operate/
 * versions.md). Exit code: 0 if everything passed, 1 if not, 2 after a wrong call, 130 after an interrupt.
 */
exitWithReader(process.stdout, process.stderr);
const command = parseCommand(process.argv.slice(2));
if (command.do === 'help') {
  process.stdout.write(HELP);
  process.exit(0);
}
if (command.do === 'refuse') refuse(command.reason);
const rows = chosenRows(command.only);
if (command.do === 'list') {
  process.stdout.write(`${rows.map((row) => `${nameOf(row)}  ${row.title}`).join('\n')}\n`);
  process.exit(0);
}
const progress = command.json ? process.stderr : process.stdout;
const interrupted = new AbortController();
endOnSignals(interrupted);
const supervisor = new ProcessSupervisor();
const logs = mkdtempSync(join(tmpdir(), 'vitrine-matrix-'));
const started = performance.now();
const results: RowResult[] = [];

progress.write(`Rows: ${rows.length}. The complete output of each row is in ${logs}\n`);
for (const row of rows) {
  if (interrupted.signal.aborted) break;
  const result = await runRow(row);
  if (interrupted.signal.aborted) break;
  results.push(result);
  const { title, passed, failed, skipped, seconds, measured, failures } = result;
  progress.write(
    `${failed > 0 ? '✘' : '✔'} ${title}: ${passed} passed, ${failed} failed, ${skipped} skipped in ` +
      `${duration(seconds)}\n${measured.map((line) => `    ${line}\n`).join('')}` +
      `${failures && `${failures.trim().replace(/^/gm, '  | ')}\n`}`,
  );
}
await supervisor.end();
if (interrupted.signal.aborted)
  progress.write(`\nInterrupted: ${rows.length - results.length} of ${rows.length} did not finish.\n`);
progress.write(`\nin ${duration((performance.now() - started) / 1_000)}\n${renderTotals(results)}\n`);
if (command.json)
  process.stdout.write(`${JSON.stringify({ rows: results, totals: renderTotals(results) })}\n`);
process.exit(
  interrupted.signal.aborted ? INTERRUPTED_EXIT_CODE : results.some(({ failed }) => failed > 0) ? 1 : 0,
);

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n\n${HELP}`);
  process.exit(2);
}

function chosenRows(only: readonly string[]): Row[] {
  try {
    return selectRows(allRows(), only);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Runs the tests of a row in a separate process, which starts the engines and stops them. */
async function runRow(row: Row): Promise<RowResult> {
  const began = performance.now();
  const done = (outcome: ReturnType<typeof readOutput>): RowResult => ({
    title: row.title,
    key: row.key,
    seconds: Math.round((performance.now() - began) / 1_000),
    ...outcome,
  });
  const env: NodeJS.ProcessEnv = { ...process.env, ...row.env };
  let node = process.execPath;
  if (row.node !== undefined) {
    const skipped = { passed: 0, failed: 0, skipped: 1, failures: '' };
    if (!canRunOtherNodes())
      return done({ ...skipped, measured: ['skipped: only Linux on x64 has pinned packages of Node'] });
    try {
      const cache = cacheFolder(process.env, process.geteuid?.() === 0);
      mkdirSync(cache, { recursive: true });
      const folder = await nodeFolder(cache, row.node, interrupted.signal);
      node = join(folder, 'node');
      env.PATH = `${folder}${delimiter}${env.PATH}`;
    } catch (error) {
      return done({ passed: 0, failed: 1, skipped: 0, measured: [], failures: String(error) });
    }
  }
  const tests = supervisor.spawn(node, ['scripts/test.ts', row.selection], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(logs, `${nameOf(row).replaceAll(/[^\w.]+/g, '-')}.log`));
  let output = '';
  for (const stream of [tests.child.stdout, tests.child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log.write(text);
      output += text;
    });
  // The tests stop their processes and engines first, and then they need some time to end.
  const interrupt = () => void tests.stop(2 * STOP_GRACE_MS);
  interrupted.signal.addEventListener('abort', interrupt, { once: true });
  const ended = Promise.withResolvers<void>();
  tests.child.once('close', () => ended.resolve());
  const { code } = await tests.exited;
  await ended.promise;
  interrupted.signal.removeEventListener('abort', interrupt);
  log.end();
  return done(readOutput(output, code));
}
