import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';

interface ListOffsetsArguments {
  isolationLevel?: number;
}
interface ListOffsetsProtocol {
  protocol(request: { version: number }): (given: ListOffsetsArguments) => unknown;
}

const READ_UNCOMMITTED = 0;
const inUncommittedRead = new AsyncLocalStorage<true>();

/*
 * ListOffsets Request (Version: 2) => replica_id isolation_level [topics]
 *
 * kafkajs' admin client always sends isolation level 1 (read_committed). Kafka then answers with the last
 * stable offset instead of the high watermark, and hides the timestamps of the records behind it.
 */
const listOffsets = createRequire(import.meta.url)(
  'kafkajs/src/protocol/requests/listOffsets/index.js',
) as ListOffsetsProtocol;
const original = listOffsets.protocol;
listOffsets.protocol = (request) => {
  const build = original(request);
  return (given) =>
    build(inUncommittedRead.getStore() ? { ...given, isolationLevel: READ_UNCOMMITTED } : given);
};

/**
 * Runs `read`. In it, the offsets that kafkajs' admin client fetches include records of open transactions, so
 * the end of a partition is its high watermark.
 */
export const withOpenTransactions = <T>(read: () => Promise<T>): Promise<T> =>
  inUncommittedRead.run(true, read);
