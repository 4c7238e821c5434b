import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metricOf, startService } from '@vitrine/test/service-process';
import type { BenchContext } from '../bench-context.ts';
import { listingId, snapshot } from '../listing-events.ts';
import { cpuSeconds, peakMegabytes } from '../process-figures.ts';
import { rounded } from '../statistics.ts';
import { logEnd } from '../subjects.ts';
import { pause } from '../time-limit.ts';

/** With the default of 300,000 items, there are 200,000 listings. */
const LISTINGS_PER_ITEM = 2 / 3;
/** After each listing from the feed, the source has lines for listings that the feed does not have. */
const LINES_PER_LISTING = 50;
const AT_LEAST = 20_000;
const AT_MOST_MB = 300;
const EXIT_DIFFERENT = 3;
const POLL_MS = 100;
const WRITE_CHARACTERS = 256 * 1024;
const DONE = 'projector_records_total';

/**
 * Measures the speed and peak memory of `reconcile`: with a source that is much larger than the feed, and
 * with one that states every member of the feed's listings.
 */
export async function reconcile(context: BenchContext): Promise<void> {
  const listings = Math.round(context.items * LISTINGS_PER_ITEM);
  const name = `bench-${process.pid}-reconcile`;
  const env = context.deployment(name);
  const topic = await context.eventsTopic(name);
  context.ownIndices(`${name}-*`);
  const projector = await context.projector(env);
  await context.step(`${listings} listings`, 120 + listings / 500, async () => {
    await topic.publish(Array.from({ length: listings }, (_, listing) => snapshot(listing, 1)));
    while ((await metricOf(projector.admin, DONE)) < listings) await pause(POLL_MS, context.signal);
  });
  await projector.stop();

  const folder = await mkdtemp(join(tmpdir(), 'bench-reconcile-'));
  context.onEnd(() => rm(folder, { recursive: true, force: true }));
  const order = Array.from({ length: listings }, (_, listing) => listing).sort((a, b) =>
    listingId(a) < listingId(b) ? -1 : 1,
  );
  const large = await run(context, env, join(folder, 'large.csv'), largeSource(order));
  const whole = await run(context, env, join(folder, 'whole.jsonl'), wholeSource(order));
  context.report(
    [
      {
        measure: `${large.lines} source lines, ${listings} states`,
        unit: 'lines/s',
        ours: large.linesPerSecond,
        target: { atLeast: AT_LEAST },
      },
      { measure: `${whole.lines} lines with every member`, unit: 'lines/s', ours: whole.linesPerSecond },
      {
        measure: `memory of reconcile with ${large.lines} source lines`,
        unit: 'MB',
        ours: Math.max(large.megabytes, whole.megabytes),
        target: { atMost: AT_MOST_MB },
      },
    ],
    { large, whole },
  );
}

/** One line for each listing in the feed, with many lines for unknown listings between them. */
function* largeSource(order: readonly number[]): Generator<string> {
  yield 'id,version,price\n';
  for (const listing of order) {
    const id = listingId(listing);
    yield `${id},1,${80 + (listing % 900)}\n`;
    for (let unknown = 1; unknown < LINES_PER_LISTING; unknown++)
      yield `${id}-${String(unknown).padStart(2, '0')},1,100\n`;
  }
}

/** The snapshot events of all listings. */
function* wholeSource(order: readonly number[]): Generator<string> {
  for (const listing of order) yield `${snapshot(listing, 1).value}\n`;
}

interface Run {
  lines: number;
  linesPerSecond: number;
  cpuSeconds: number;
  megabytes: number;
}

async function run(
  context: BenchContext,
  env: Readonly<Record<string, string>>,
  path: string,
  source: Iterable<string>,
): Promise<Run> {
  const lines = await context.step(`write ${path}`, 300, () => writeSource(path, source));
  return context.step(`reconcile ${path}`, 120 + lines / 5_000, async () => {
    const begin = performance.now();
    const args = ['reconcile', '--source', path, '--settle', '0', '--json'];
    const program = startService('cli', { LOG_LEVEL: 'error', ...env }, args);
    context.onEnd(() => program.stop());
    let megabytes = 0;
    let cpu = 0;
    let code: number | null | undefined;
    void program.exited.then((exit) => {
      code = exit;
    });
    while (code === undefined) {
      // The process may end between two reads.
      megabytes = Math.max(megabytes, await peakMegabytes(program.pid).catch(() => 0)) || megabytes;
      cpu = Math.max(cpu, await cpuSeconds(program.pid).catch(() => 0));
      await pause(POLL_MS, context.signal);
    }
    if (code !== 0 && code !== EXIT_DIFFERENT)
      throw new Error(`reconcile: exit code ${code}: ${logEnd(program)}`);
    const seconds = (performance.now() - begin) / 1_000;
    return {
      lines,
      linesPerSecond: rounded(lines / seconds),
      cpuSeconds: rounded(cpu),
      megabytes: rounded(megabytes),
    };
  });
}

/** @returns the number of lines, without CSV's header line */
async function writeSource(path: string, source: Iterable<string>): Promise<number> {
  const file = createWriteStream(path);
  let lines = path.endsWith('.csv') ? -1 : 0;
  let text = '';
  for (const line of source) {
    lines++;
    text += line;
    if (text.length < WRITE_CHARACTERS) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end(text);
  await once(file, 'close');
  return lines;
}
