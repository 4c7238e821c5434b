import { defineMapping } from '@vitrine/ingest/mapping';
import documented from '../../../docs/start/debezium/rows-mapping.ts';

/** The prefix of the source topics in the documents. */
const DOCUMENTED = 'marketplace.';
const prefix = `${process.env.SOURCE_TOPIC_PREFIX}.`;

/** The documented mapping, for source topics with the prefix of this demo. */
export default defineMapping({
  ...documented,
  topics: documented.topics.map((topic) => topic.replace(DOCUMENTED, prefix)),
  map: (record: Parameters<typeof documented.map>[0]) =>
    documented.map({ ...record, topic: record.topic.replace(prefix, DOCUMENTED) }),
});
