/** `npm run bench`: see bench/README.md. */
import { parseArgs } from 'node:util';
import { endOnSignals, INTERRUPTED_EXIT_CODE, InterruptedError } from '@vitrine/runtime/processes';
import { PARTS } from './parts.ts';
import { updateReadme } from './readme.ts';
import { runBench } from './run.ts';
import { resultTable } from './table.ts';

const DEFAULT_ITEMS = 300_000;
const FEWEST_ITEMS = 3_000;
/** An orderly shutdown of the bench takes less time than this. */
const LAST_RESORT_MS = 60_000;
const ONLY_NAMED = Object.keys(PARTS).filter((name) => PARTS[name]?.onlyNamed);

const HELP = `npm run bench -- [part …] [--items N] [--time-limit S] [--with FOLDER] [--output FOLDER]

Measures Vitrine and its peers on this machine, prints a table, and stores every figure in bench/results.json.
Parts: ${Object.keys(PARTS).join(', ')}. Without names, all but ${ONLY_NAMED.join(', ')} run.
--items N          number of items in the dataset; ${DEFAULT_ITEMS} by default
--time-limit S     seconds after which a part is cut off; by default, each part has its own limit
--with FOLDER      another checkout of this repository, for the part compare; may be repeated
--output FOLDER    folder of results.json and chart.svg; bench by default
--readme           only writes the table of bench/README.md from bench/results.json
Ctrl-C ends the bench, and the table shows the rows until then. Press it again to end at once.
Exit codes: 0 complete, 1 a part failed, 2 usage error, 130 interrupted.
bench/README.md explains the results. The comments in bench/parts describe each part.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: 'string', default: String(DEFAULT_ITEMS) },
    'time-limit': { type: 'string' },
    with: { type: 'string', multiple: true, default: [] },
    output: { type: 'string', default: import.meta.dirname },
    readme: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const items = Number(values.items);
const limitSeconds = values['time-limit'] === undefined ? undefined : Number(values['time-limit']);
const problem = usageProblem();
if (values.help) console.log(HELP);
else if (problem !== undefined) {
  console.error(`${problem}\n\n${HELP}`);
  process.exitCode = 2;
} else if (values.readme) await updateReadme();
else
  await run(
    positionals.length > 0 ? positionals : Object.keys(PARTS).filter((name) => !ONLY_NAMED.includes(name)),
  );

function usageProblem(): string | undefined {
  const unknown = positionals.filter((name) => !(name in PARTS));
  if (unknown.length > 0) return `There is no part ${unknown.join(', ')}.`;
  if (!Number.isInteger(items) || items < FEWEST_ITEMS)
    return `--items must be an integer of at least ${FEWEST_ITEMS}.`;
  if (limitSeconds !== undefined && !(limitSeconds > 0))
    return '--time-limit must be a positive number of seconds.';
  return undefined;
}

async function run(parts: string[]): Promise<void> {
  const interruption = interruptionOfProcess();
  const tell = (message: string) => console.error(`# ${message}`);
  let exitCode = 0;
  try {
    const { with: checkouts, output } = values;
    const results = await runBench({ parts, items, limitSeconds, checkouts, output, interruption, tell });
    console.log(resultTable(results));
    if (Object.values(results).some(({ status }) => status !== 'complete')) exitCode = 1;
  } catch (error) {
    if (!(error instanceof InterruptedError)) console.error('# the bench failed:', error);
    exitCode = 1;
  }
  const { reason } = interruption as { reason?: unknown };
  if (reason instanceof InterruptedError) {
    console.error(`# interrupted: ${reason.message}`);
    exitCode = INTERRUPTED_EXIT_CODE;
  } else if (interruption.aborted) exitCode = 1;
  // Work that exceeded its time limit may still hold timers and sockets.
  process.exit(exitCode);
}

/**
 * Returns an AbortSignal that aborts when the bench must end: after SIGINT or SIGTERM, when the parent
 * process is gone, or after an uncaught error. If the shutdown takes longer than a minute, the process exits,
 * and the cleanup process ends the children.
 */
function interruptionOfProcess(): AbortSignal {
  const ending = new AbortController();
  endOnSignals(ending);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      console.error('# unexpected:', error);
      ending.abort(error instanceof Error ? error : new Error(String(error)));
    });
  }
  // The terminal, or the program that reads the output, may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  ending.signal.addEventListener('abort', () =>
    setTimeout(() => process.exit(INTERRUPTED_EXIT_CODE), LAST_RESORT_MS).unref(),
  );
  return ending.signal;
}
