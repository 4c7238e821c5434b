import { setTimeout as pass } from 'node:timers/promises';
import { generationNames } from '@vitrine/feed-index';
import type { Arena } from '../arena.ts';
import { createEventsTopic, marketLog } from '../listing-log.ts';
import { peakMegabytes } from '../process-figures.ts';
import { metric, startPeer, startProjector } from '../processes.ts';
import type { PartResult } from '../results.ts';
import { alternate, median, rounded } from '../statistics.ts';

/** 1,000,000 for the default of 300,000 items. */
const RECORDS_AN_ITEM = 10 / 3;
/** From the first finished record on: code is compiled, connections are open. */
const WARM_UP_MS = 4_000;
const MEASURED_MS = 20_000;
const ROUNDS = 2;
const AT_LEAST = 3;
const AT_MOST_MB = 400;
const DONE = 'projector_records_total';

interface Round {
  eventsPerSecond: number;
  peakMegabytes: number;
}

/** Events a second on a backlog, against a consumer that goes message by message; and the memory that the backlog takes. */
export async function projector(arena: Arena): Promise<PartResult> {
  const { KAFKA_BROKERS, ELASTICSEARCH_URL } = arena.engines.settings;
  const records = Math.round(arena.items * RECORDS_AN_ITEM);
  const name = `bench-${process.pid}-backlog`;
  const topic = await createEventsTopic(KAFKA_BROKERS, name);
  try {
    const start = performance.now();
    await topic.publish(marketLog(records));
    arena.tell(`${records} records are in Kafka after ${Math.round((performance.now() - start) / 1_000)} s`);
    const shared = { KAFKA_BROKERS, ELASTICSEARCH_URL, LISTING_EVENTS_TOPIC: name };

    const figures = await alternate(ROUNDS, {
      ours: async (round) => {
        const prefix = `${name}-ours-${round}`;
        const { items, states } = generationNames(prefix, 1);
        return onBacklog(arena, records, [items, states], () => startProjector({ ...shared, INDEX_PREFIX: prefix, CONSUMER_GROUP: prefix }));
      },
      naive: async (round) => {
        const index = `${name}-naive-${round}`;
        return onBacklog(arena, records, [index], async () => {
          const peer = await startPeer('peers/naive-consumer.ts', { ...shared, INDEX: index, CONSUMER_GROUP: index });
          return { ...peer, admin: `http://127.0.0.1:${peer.port}` };
        });
      },
    });
    const rate = (rounds: Round[]) => rounded(median(rounds.map(({ eventsPerSecond }) => eventsPerSecond)));
    const [ours, naive] = [rate(figures.ours), rate(figures.naive)];
    const peak = Math.max(...figures.ours.map(({ peakMegabytes: mb }) => mb));
    return {
      rows: [
        {
          measure: `backlog of ${records} records`,
          unit: 'events/s',
          ours,
          peer: { name: 'naive consumer', figure: naive },
          ratio: rounded(ours / naive),
          target: { atLeast: AT_LEAST },
        },
        { measure: `memory of the projector at ${records} records of lag`, unit: 'MB', ours: peak, target: { atMost: AT_MOST_MB } },
      ],
      figures,
    };
  } finally {
    await topic.close();
  }
}

/** One contender, from the first record of the log on, with indices of its own. */
async function onBacklog(
  arena: Arena,
  records: number,
  indices: string[],
  start: () => Promise<{ admin: string; pid: number; stop(): Promise<void> }>,
): Promise<Round> {
  const started = await start();
  try {
    const rate = await measure(started.admin, records);
    return { eventsPerSecond: rounded(rate), peakMegabytes: rounded(await peakMegabytes(started.pid)) };
  } finally {
    await started.stop();
    await arena.elasticsearch.indices.delete({ index: indices, ignore_unavailable: true });
  }
}

/** Records a second, from a while after the first one was done to the end of the time or of the backlog. */
async function measure(admin: string, records: number): Promise<number> {
  const done = () => metric(admin, DONE);
  while ((await done()) === 0) await pass(20);
  await pass(WARM_UP_MS);
  const [start, before] = [performance.now(), await done()];
  let [at, after] = [start, before];
  while (at - start < MEASURED_MS && after < records) {
    await pass(50);
    [at, after] = [performance.now(), await done()];
  }
  if (after === before) throw new Error('the backlog was done before anything was measured: it takes more items');
  return ((after - before) / (at - start)) * 1_000;
}
