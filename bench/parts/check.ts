import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startNode, startService } from '@vitrine/test/service-process';
import type { BenchContext } from '../bench-context.ts';
import { listingEvents } from '../listing-events.ts';
import { endedChildrenCpuSeconds, peakMegabytes } from '../process-figures.ts';
import { compared } from '../results.ts';
import { alternate, medianOf, rounded } from '../statistics.ts';
import { logEnd } from '../subjects.ts';
import { pause } from '../time-limit.ts';

/** With the default number of items, there are 1,000,000 events for 200,000 listings. */
const EVENTS_PER_ITEM = 10 / 3;
const ROUNDS = 3;
const AT_LEAST_PER_SECOND = 20_000;
const AT_MOST_MB = 512;
const POLL_MS = 100;
const WRITE_CHARACTERS = 1_000_000;

interface Figures {
  /** The number of events per CPU second of the process. */
  rate: number;
  seconds: number;
  megabytes: number;
}

/**
 * Measures the check of a file: events per CPU second and peak memory. For comparison, it measures a program
 * that only parses the lines.
 */
export async function check(context: BenchContext): Promise<void> {
  const events = Math.round(context.items * EVENTS_PER_ITEM);
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-check-'));
  context.onEnd(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'events');
  await context.step(`file of ${events} events`, 60 + events / 10_000, () => writeEvents(file, events));
  const naive = join(import.meta.dirname, '../peers/naive-line-reader.ts');
  const figures = await context.step('check', 120 + events / 2_000, () =>
    alternate(ROUNDS, {
      ours: () => figuresOf(context, startService('cli', {}, ['--json', 'check', file]), events),
      naive: () => figuresOf(context, startNode([naive, file], {}), events),
    }),
  );
  const rate = medianOf(figures.ours, 'rate');
  context.report(
    [
      {
        measure: 'check, per CPU second',
        unit: 'events/s',
        ours: rate,
        target: { atLeast: AT_LEAST_PER_SECOND },
      },
      compared('check, per CPU second', 'events/s', rate, {
        name: 'JSON.parse per line',
        figure: medianOf(figures.naive, 'rate'),
      }),
      {
        measure: 'memory of check',
        unit: 'MB',
        ours: rounded(Math.max(...figures.ours.map(({ megabytes }) => megabytes))),
        target: { atMost: AT_MOST_MB },
      },
    ],
    { rounds: figures },
  );
}

async function writeEvents(path: string, count: number): Promise<void> {
  const file = await open(path, 'w');
  try {
    let text = '';
    for (const { value } of listingEvents(count)) {
      text += `${value}\n`;
      if (text.length < WRITE_CHARACTERS) continue;
      await file.appendFile(text);
      text = '';
    }
    await file.appendFile(text);
  } finally {
    await file.close();
  }
}

/** Runs a program to its end. @throws if its exit code is not 0 */
async function figuresOf(context: BenchContext, program: ServiceProcess, events: number): Promise<Figures> {
  context.onEnd(() => program.stop());
  const start = performance.now();
  const cpuBefore = await endedChildrenCpuSeconds();
  const exit = program.exited.then((code) => ({ code }));
  let megabytes = 0;
  for (;;) {
    // The peak only grows, so the last look before the end is enough. There is no figure for a process that
    // has just ended.
    const peak = await peakMegabytes(program.pid).catch(() => Number.NaN);
    if (peak > megabytes) megabytes = peak;
    const ended = await Promise.race([exit, pause(POLL_MS, context.signal)]);
    if (!ended) continue;
    if (ended.code !== 0) throw new Error(`exit code ${ended.code}: ${logEnd(program)}`);
    const cpuSeconds = (await endedChildrenCpuSeconds()) - cpuBefore;
    return {
      rate: rounded(events / cpuSeconds),
      seconds: rounded((performance.now() - start) / 1_000),
      megabytes: rounded(megabytes),
    };
  }
}
