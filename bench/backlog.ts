import { metricOf } from '@vitrine/test/service-process';
import type { BenchContext } from './bench-context.ts';
import { cpuSeconds, peakMegabytes } from './process-figures.ts';
import { rounded } from './statistics.ts';
import { pause } from './time-limit.ts';

/** The time after the first finished record in which the consumer compiles code and opens connections. */
const WARM_UP_MS = 4_000;
const MEASURED_MS = 20_000;
/** Our metrics take about a millisecond of the measured thread, unlike the peer's single number. */
const POLL_MS = 250;
const ROUND_LIMIT_SECONDS = 120;

export interface BacklogRound {
  eventsPerSecond: number;
  peakMegabytes: number;
  /** The CPU microseconds of the consumer and of Elasticsearch for each record. */
  cpuMicroseconds: number;
  elasticsearchMicroseconds: number;
}

/** A consumer of a backlog, and the metric that counts its finished records. */
interface BacklogConsumer {
  admin: string;
  pid: number;
  done: string;
  stop(): Promise<void>;
}

/** Measures one consumer from the log's first record on, stops it, and deletes its indices. */
export async function onBacklog(
  context: BenchContext,
  name: string,
  records: number,
  indices: string,
  consumer: BacklogConsumer,
): Promise<BacklogRound> {
  const figures = await context.step(name, ROUND_LIMIT_SECONDS, () => measured(context, consumer, records));
  const round = { ...figures, peakMegabytes: rounded(await peakMegabytes(consumer.pid)) };
  await consumer.stop();
  await context.deleteIndices(indices);
  return round;
}

/**
 * Measures from WARM_UP_MS after the first finished record, for MEASURED_MS or until the end of the backlog.
 */
async function measured(
  { elasticsearchPid, signal }: BenchContext,
  { admin, pid, done: metric }: BacklogConsumer,
  records: number,
): Promise<Omit<BacklogRound, 'peakMegabytes'>> {
  const cpu = async () => [await cpuSeconds(pid), await cpuSeconds(elasticsearchPid)] as const;
  const done = () => metricOf(admin, metric);
  while ((await done()) === 0) await pause(20, signal);
  await pause(WARM_UP_MS, signal);
  const cpuBefore = await cpu();
  const [start, before] = [performance.now(), await done()];
  let [at, after] = [start, before];
  while (at - start < MEASURED_MS && after < records) {
    await pause(POLL_MS, signal);
    [at, after] = [performance.now(), await done()];
  }
  if (after === before) throw new Error('the backlog ended before the measurement. Use more items');
  const cpuAfter = await cpu();
  const perRecord = (which: 0 | 1) =>
    rounded(((cpuAfter[which] - cpuBefore[which]) / (after - before)) * 1e6);
  return {
    eventsPerSecond: rounded(((after - before) / (at - start)) * 1_000),
    cpuMicroseconds: perRecord(0),
    elasticsearchMicroseconds: perRecord(1),
  };
}
