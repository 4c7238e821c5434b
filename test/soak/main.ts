/** `npm run soak`: see docs/operate/soak.md. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  endOnSignals,
  INTERRUPTED_EXIT_CODE,
  InterruptedError,
  ProcessSupervisor,
} from '@vitrine/runtime/processes';
import { HELP, readOptions } from './options.ts';
import { renderReport } from './report/soak-report.ts';
import { runSoak } from './run-soak.ts';

const tell = (message: string) => console.error(`# ${message}`);
/** An orderly end of a soak takes less time than this. */
const LAST_RESORT_MS = 90_000;

const given = readOptions(process.argv.slice(2));
if ('problem' in given) {
  console.error(`${given.problem}\n\n${HELP}`);
  process.exitCode = 2;
} else if (given.help) console.log(HELP);
else {
  const interruption = new AbortController();
  endOnSignals(interruption);
  // The terminal or the reader of the output may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  interruption.signal.addEventListener('abort', () =>
    setTimeout(() => process.exit(INTERRUPTED_EXIT_CODE), LAST_RESORT_MS).unref(),
  );
  process.exit(await run(given, interruption.signal));
}

async function run(
  { minutes, seed, rate, json, out }: Exclude<typeof given, { problem: string }>,
  signal: AbortSignal,
): Promise<number> {
  try {
    const report = await runSoak({ minutes, seed, rate, signal, tell });
    const text = JSON.stringify(report, null, 2);
    console.log(json ? text : renderReport(report));
    const file = out ?? join(report.folder, 'report.json');
    await writeFile(file, `${text}\n`);
    tell(`report: ${file}`);
    if (report.verdict === 'interrupted') return INTERRUPTED_EXIT_CODE;
    return report.verdict === 'passed' ? 0 : 1;
  } catch (error) {
    if (signal.aborted && signal.reason instanceof InterruptedError) {
      tell(`interrupted: ${signal.reason.message}`);
      return INTERRUPTED_EXIT_CODE;
    }
    console.error('# the soak failed:', error);
    return 1;
  } finally {
    await ProcessSupervisor.endAll();
  }
}
