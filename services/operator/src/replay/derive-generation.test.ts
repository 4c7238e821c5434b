import type { Client } from '@elastic/elasticsearch';
import { generationNames, ITEM_MAPPING_VERSION } from '@vitrine/feed-index';
import { EMPTY_STATE, RULES } from '@vitrine/listing';
import { documentRules } from '@vitrine/projection/generations';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { type DeriveOptions, deriveGeneration } from './derive-generation.ts';

describe('a rebuild from the states', () => {
  it('copies each state with its revision, because later items need higher revisions', async () => {
    const slices = [{ index: 0, shard: '0', after: -1, states: 0 }];
    const actions: unknown[] = [];
    const hit = { _id: 'a', _version: 7, _source: { state: EMPTY_STATE }, sort: [3] };
    const client = {
      indices: { refresh: async () => ({ _shards: { total: 1, failed: 0 } }) },
      openPointInTime: async () => ({ id: 'pit' }),
      closePointInTime: async () => ({ succeeded: true }),
      search: async () => ({ timed_out: false, _shards: { failed: 0 }, hits: { hits: [hit] } }),
      transport: {
        request: async ({ bulkBody }: { bulkBody: Buffer }) => {
          actions.push(JSON.parse(bulkBody.toString().split('\n')[0] ?? ''));
          return { items: [{ index: { status: 201 } }] };
        },
      },
    } as unknown as Client;
    const target = generationNames('p', 2);
    await deriveGeneration({
      client,
      source: generationNames('p', 1).states,
      target,
      rules: documentRules({ items: ITEM_MAPPING_VERSION }, RULES),
      copyStates: true,
      scan: { next: async () => slices.shift(), progressed: () => undefined, finish: () => undefined },
      admission: { admit: async () => () => undefined },
      confirmLease: async () => undefined,
      log: createLog('test', 'silent'),
      signal: new AbortController().signal,
      onProgress: () => undefined,
    } as unknown as DeriveOptions);
    const versioned = { _index: target.statesWriter, _id: 'a', version: 7, version_type: 'external_gte' };
    expect(actions).to.deep.equal([{ index: versioned }]);
  });
});
