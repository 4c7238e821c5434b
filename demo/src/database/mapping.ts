import { defineMapping } from '@vitrine/ingest/mapping';
import documented from '../../../docs/start/debezium/rows-mapping.ts';

/** The prefix that the source topics have in the documentation. */
const DOCUMENTED = 'marketplace.';
const prefix = `${process.env.SOURCE_TOPIC_PREFIX}.`;

/** The documented mapping, for source topics with this demo's prefix. */
export default defineMapping({
  ...documented,
  topics: documented.topics.map((topic) => topic.replace(DOCUMENTED, prefix)),
  map: (record: Parameters<typeof documented.map>[0]) =>
    documented.map({ ...record, topic: record.topic.replace(prefix, DOCUMENTED) }),
});
