import { RULES } from '@vitrine/listing';
import { ensureFirstGeneration, versionsWith } from '@vitrine/projection/generations';
import { type BacklogRound, onBacklog } from '../backlog.ts';
import type { BenchContext } from '../bench-context.ts';
import { listingEvents } from '../listing-events.ts';
import { compared } from '../results.ts';
import { alternate, median, medianOf, rounded } from '../statistics.ts';

/** With the default of 300,000 items, the backlog has 1,000,000 records. */
const RECORDS_PER_ITEM = 10 / 3;
/** A shorter backlog would end before the measurement starts. */
const FEWEST_RECORDS = 100_000;
const ROUNDS = 3;
const AT_LEAST = 15;
const AT_MOST_MB = 300;
const WITH_CHANGES_AT_LEAST = 0.85;
const DONE = 'projector_records_total';

/**
 * Measures the events per second on a backlog, relative to a consumer that handles one message at a time and
 * to a generation without a changes index. It also measures peak memory.
 */
export async function projector(context: BenchContext): Promise<void> {
  const { KAFKA_BROKERS, ELASTICSEARCH_URL } = context.engines.settings;
  const records = Math.max(Math.round(context.items * RECORDS_PER_ITEM), FEWEST_RECORDS);
  const name = `bench-${process.pid}-backlog`;
  const topic = await context.eventsTopic(name);
  context.ownIndices(`${name}-*`);
  await context.step(`${records} records to Kafka`, 120 + records / 1_000, () =>
    topic.publish(listingEvents(records)),
  );
  const shared = { KAFKA_BROKERS, ELASTICSEARCH_URL, LISTING_EVENTS_TOPIC: name };

  const projectorRound = async (kind: string, round: number) => {
    const prefix = `${name}-${kind}-${round}`;
    if (kind === 'without') await createWithoutChanges(context, prefix);
    const service = await context.projector({ ...shared, INDEX_PREFIX: prefix, CONSUMER_GROUP: prefix });
    const what = kind === 'without' ? 'projector without changes' : 'projector';
    return onBacklog(context, `${what}, round ${round + 1}`, records, `${prefix}-*`, {
      ...service,
      done: DONE,
    });
  };
  const figures = await alternate(ROUNDS, {
    ours: (round) => projectorRound('ours', round),
    withoutChanges: (round) => projectorRound('without', round),
    naive: async (round) => {
      const index = `${name}-naive-${round}`;
      const env = { ...shared, INDEX: index, CONSUMER_GROUP: index };
      const peer = await context.peer('peers/naive-consumer.ts', env);
      const admin = `http://127.0.0.1:${peer.port}`;
      return onBacklog(context, `naive consumer, round ${round + 1}`, records, index, {
        ...peer,
        admin,
        done: DONE,
      });
    },
  });
  const rate = (name: keyof typeof figures) => medianOf(figures[name], 'eventsPerSecond');
  const cpu = (name: keyof typeof figures) =>
    `${medianOf(figures[name], 'cpuMicroseconds')} µs and Elasticsearch ` +
    `${medianOf(figures[name], 'elasticsearchMicroseconds')} µs`;
  const ratios = figures.ours.map(
    ({ eventsPerSecond }, i) => eventsPerSecond / (figures.withoutChanges[i] as BacklogRound).eventsPerSecond,
  );
  context.report(
    [
      compared(
        `backlog of ${records} records`,
        'events/s',
        rate('ours'),
        { name: 'naive consumer', figure: rate('naive') },
        {
          target: { atLeast: AT_LEAST },
          note: `CPU time per event: projector ${cpu('ours')}; naive consumer ${cpu('naive')}`,
        },
      ),
      compared(
        `backlog of ${records} records, with / without the changes index`,
        'events/s',
        rate('ours'),
        { name: 'without the changes index', figure: rate('withoutChanges') },
        { ratio: rounded(median(ratios)), target: { atLeast: WITH_CHANGES_AT_LEAST } },
      ),
      {
        measure: `memory of the projector at ${records} records of lag`,
        unit: 'MB',
        ours: Math.max(...figures.ours.map(({ peakMegabytes: mb }) => mb)),
        target: { atMost: AT_MOST_MB },
      },
    ],
    figures,
  );
}

/** Creates a first generation as an earlier release did. Its projector omits the third write. */
async function createWithoutChanges({ elasticsearch }: BenchContext, prefix: string): Promise<void> {
  const { changes: _, ...versions } = versionsWith(RULES);
  const settings = { INDEX_PREFIX: prefix, INDEX_SHARDS: 1, INDEX_REPLICAS: '0-1' };
  await ensureFirstGeneration(elasticsearch, settings, versions, async () => 0);
}
