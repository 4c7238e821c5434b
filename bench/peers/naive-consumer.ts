/**
 * A typical first version of a consumer: for each message, it reads the state, folds the event and writes. It
 * has no bulk requests, no optimistic concurrency and no dead letters. It uses our decoder and fold, so both
 * sides do the same work. Its settings are KAFKA_BROKERS, LISTING_EVENTS_TOPIC, CONSUMER_GROUP,
 * ELASTICSEARCH_URL and INDEX. It serves the number of finished records on PORT.
 */
import { createServer } from 'node:http';
import { errors } from '@elastic/elasticsearch';
import { CURRENT_ITEMS, itemsIndexBody } from '@vitrine/feed-index';
import { createKafka, type FetchedRecord, readChunks, readTopicId, startConsumer } from '@vitrine/kafka';
import { deriveItem, EMPTY_STATE, fold, type ListingState } from '@vitrine/listing';
import { decodeRecord } from '@vitrine/listing-events';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { createLog } from '@vitrine/runtime/log';

const setting = (name: string): string => String(process.env[name]);
const index = setting('INDEX');
const elasticsearch = createElasticsearch({
  url: setting('ELASTICSEARCH_URL'),
  requestTimeout: 30_000,
  maxRetries: 3,
});
const { settings, mappings } = itemsIndexBody();
// The consumer stores the state with the item, so that one read and one write per event suffice.
const properties = { ...mappings.properties, state: { type: 'object' as const, enabled: false } };
await elasticsearch.indices.create({ index, settings, mappings: { ...mappings, properties } });

let done = 0;
const kafka = { brokers: setting('KAFKA_BROKERS') };
const topic = setting('LISTING_EVENTS_TOPIC');
const log = createLog('naive', 'silent');
const admin = createKafka(kafka, log).admin();
await admin.connect();
const signal = new AbortController().signal;
await startConsumer({
  kafka,
  admin,
  log,
  groupId: setting('CONSUMER_GROUP'),
  topic,
  topicId: await readTopicId(admin, topic),
  bytesPerPartition: 1024 * 1024,
  handle: async (batch) => {
    for await (const { records, end } of readChunks(batch, { signal, onWait: () => undefined })) {
      for (const record of records) await apply(record);
      await batch.commit(end);
    }
  },
  onAssigned: () => undefined,
  onFetched: () => undefined,
  onPosition: () => undefined,
  onFatal: (error) => {
    throw error;
  },
});

async function apply(record: FetchedRecord): Promise<void> {
  const decoded = decodeRecord(record);
  if (decoded.outcome !== 'event') throw new Error('the log must contain only events');
  const { event } = decoded;
  const state = fold(await stateOf(event.id), [event]);
  const { item } = deriveItem(event.id, state);
  await elasticsearch.index({
    index,
    id: event.id,
    document: { ...(item && CURRENT_ITEMS.documentOf(item)), state },
  });
  done++;
}

async function stateOf(id: string): Promise<ListingState> {
  try {
    const { _source } = await elasticsearch.get<{ state: ListingState }>({ index, id, _source: ['state'] });
    return _source?.state ?? EMPTY_STATE;
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 404) return EMPTY_STATE;
    throw error;
  }
}

createServer((_, response) => response.end(`projector_records_total ${done}\n`)).listen(
  Number(setting('PORT')),
  '127.0.0.1',
);
