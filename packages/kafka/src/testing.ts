import { createRequire } from 'node:module';

/** The checksum of a record batch (CRC-32C), for tests that build batches which kafkajs cannot write. */
export const crc32c = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/crc32C/index.js') as (
  bytes: Buffer,
) => number;
