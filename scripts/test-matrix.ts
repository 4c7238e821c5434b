import { once } from 'node:events';
import { createWriteStream, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';
import { canRunOtherNodes, nodeProgram } from './test-matrix/node-runtime.ts';
import { allRows, nameOf, type Row, selectRows } from './test-matrix/rows.ts';

const HELP = `npm run test:matrix [-- options]

Runs tests on each supported version of Elasticsearch, Kafka and Node, and rolling upgrades of both
engines. Prints one line for each row of the matrix, and the counts in the last line. All rows take about
45 minutes on two cores. The engines need Java 21 or newer and Maven, and 500 MB for each pair of versions.

  --only <row>   run only some rows; can be repeated. Examples: es=9.2.0,kafka=4.1.2 or es=9.2.0 or
                 rolling or rolling=kafka or node=26.10.0
  --list         print the rows
  --json         print one JSON document on standard output; progress goes to standard error
  --help         print this help
`;
/** A row's tests first stop their processes and engines, and then need some time to end. */
const STOP_GRACE_MS = 24_000;

interface RowResult {
  title: string;
  key: Row['key'];
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** Lines that the tests measured. */
  measured: string[];
  /** The failures, or the last part of the output if the run has no counts. */
  failures: string;
}
type Outcome = Omit<RowResult, 'title' | 'key' | 'seconds'>;

exitWithReader(process.stdout, process.stderr);
const { list, json, rows } = readOptions();
if (list) {
  process.stdout.write(`${rows.map((row) => `${nameOf(row)}  ${row.title}`).join('\n')}\n`);
  process.exit(0);
}
const progress = json ? process.stderr : process.stdout;
const interrupted = new AbortController();
endOnSignals(interrupted);
const supervisor = new ProcessSupervisor();
const logs = mkdtempSync(join(tmpdir(), 'vitrine-matrix-'));
const results: RowResult[] = [];

progress.write(`Rows: ${rows.length}. The complete output of each row is in ${logs}\n`);
for (const row of rows) {
  const began = performance.now();
  const outcome = await runRow(row);
  if (interrupted.signal.aborted) break;
  const seconds = Math.round((performance.now() - began) / 1_000);
  results.push({ title: row.title, key: row.key, seconds, ...outcome });
  const { passed, failed, skipped, measured, failures } = outcome;
  progress.write(
    `${failed > 0 ? '✘' : '✔'} ${row.title}: ${passed} passed, ${failed} failed, ${skipped} skipped in ` +
      `${Math.floor(seconds / 60)} min ${seconds % 60} s\n` +
      `${measured.map((line) => `    ${line}\n`).join('')}${failures.replace(/^(?=.)/gm, '  | ')}`,
  );
}
await supervisor.end();
if (interrupted.signal.aborted)
  progress.write(`\nInterrupted: ${rows.length - results.length} of ${rows.length} did not finish.\n`);
const sum = (name: 'passed' | 'failed' | 'skipped') =>
  results.reduce((total, result) => total + result[name], 0);
const totals = `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`;
progress.write(`\n${totals}\n`);
if (json) process.stdout.write(`${JSON.stringify({ rows: results, totals })}\n`);
process.exit(interrupted.signal.aborted ? INTERRUPTED_EXIT_CODE : sum('failed') > 0 ? 1 : 0);

function readOptions(): { list: boolean; json: boolean; rows: Row[] } {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: [] },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (!values.help) return { ...values, rows: selectRows(allRows(), values.only) };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
  process.stdout.write(HELP);
  process.exit(0);
}

/** Runs a row's tests in a separate process. That process starts and stops the engines. */
async function runRow(row: Row): Promise<Outcome> {
  let node = process.execPath;
  if (row.node !== undefined) {
    const none = { passed: 0, failed: 0, skipped: 0, measured: [], failures: '' };
    if (!canRunOtherNodes())
      return { ...none, skipped: 1, measured: ['skipped: only Linux on x64 has pinned packages of Node'] };
    try {
      node = await nodeProgram(row.node, interrupted.signal);
    } catch (error) {
      return { ...none, failed: 1, failures: `${error}\n` };
    }
  }
  const env = { ...process.env, ...row.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
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
  const interrupt = () => void tests.stop(STOP_GRACE_MS);
  interrupted.signal.addEventListener('abort', interrupt, { once: true });
  const [code] = (await once(tests.child, 'close')) as [number | null];
  interrupted.signal.removeEventListener('abort', interrupt);
  log.end();
  return readOutcome(output, code);
}

/** Reads the output of scripts/test.ts. A run without counts, or in which no test ran, counts as one failure. */
function readOutcome(output: string, code: number | null): Outcome {
  const measured = [...output.matchAll(/^# measured: (.+)$/gm)].map(([, line = '']) => line);
  const [, passed, failed, skipped] =
    /^(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(output.trimEnd().split('\n').at(-1) ?? '') ?? [];
  const counts = { passed: Number(passed ?? 0), failed: Number(failed ?? 0), skipped: Number(skipped ?? 0) };
  if (code === 0 && counts.passed > 0) return { ...counts, measured, failures: '' };
  const failures = `The tests ended with ${code ?? 'a signal'}.\n${output.slice(-4_000)}`;
  return { ...counts, failed: Math.max(counts.failed, 1), measured, failures };
}
