import type { PartitionBatch } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { CpuTurns } from './cpu-turns.ts';
import { consumeBatch, type ListingConsumer } from './listing-consumer.ts';
import { createMetrics } from './metrics.ts';
import { Pauses } from './progress/pauses.ts';
import { ElasticsearchUnavailableError } from './store/elasticsearch-unavailable.ts';

describe("a generation's consumer", () => {
  it('commits a chunk that it has written, but no chunk that a stop interrupts', async () => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const commits: bigint[] = [];
    const commit = async (offset: bigint) => void commits.push(offset);
    const listings = { visible: new Set(), hidden: new Map(), rejected: new Map() };
    const apply = async () => {
      if (commits.length === 0) return { ...listings, entries: new Map(), superseded: [] };
      stopping.abort();
      throw new ElasticsearchUnavailableError('the request was aborted');
    };
    const consumer = {
      generation: 1,
      projection: { apply },
      cpuTurns: new CpuTurns(),
      pauses: new Pauses(),
      metrics: createMetrics(),
      log: createLog('test', 'silent'),
      onProgress: () => undefined,
    } as unknown as ListingConsumer;
    for (const end of [3n, 5n]) {
      const batch = { partition: 0, from: 0n, batches: [], end, signal, commit };
      await consumeBatch(consumer, batch as unknown as PartitionBatch);
    }
    expect(commits).to.deep.equal([3n]);
  });
});
