import { RULES } from '@vitrine/listing';
import { versionsWith } from '@vitrine/projection/generations';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import type { Build } from './build.ts';
import { writeSlices } from './scan-work.ts';

describe('a slice builder', () => {
  it('sends nothing from a page that it has read if another builder may have taken over since then', async () => {
    const end = new AbortController();
    let sent = 0;
    const scan = { slices: [{ shard: '0', after: -1, states: 0 }], total: 1, writer: 'w' };
    const record = { number: 2, phase: 'copying' as const, versions: versionsWith(RULES), scan };
    const state = { removed: 0, replaced: 0, first_seen: 1, fields: {}, dates: {} };
    const hits = [{ _id: 'a', _version: 1, _source: { state }, sort: [0] }];
    const client = {
      indices: { refresh: async () => ({ _shards: { failed: 0 } }) },
      openPointInTime: async () => ({ id: 'p' }),
      closePointInTime: async () => undefined,
      search: async () => ({ timed_out: false, _shards: { failed: 0 }, hits: { hits } }),
      transport: { request: async () => end.abort(new Error(`${++sent} sent`)) },
    };
    const lease = {
      ...{ id: 'b', record, builders: 1, note: () => undefined },
      update: async (change: (before: typeof record) => typeof record) =>
        (lease.record = change(lease.record)),
      confirmed: async () => end.abort(new Error('taken over')),
    };
    const [settings, log, readers] = [{ INDEX_PREFIX: 'p' }, createLog('test', 'silent'), { reading: false }];
    const build = {
      client,
      lease,
      settings,
      log,
      readers,
      rules: RULES,
      signal: end.signal,
      onProgress: () => undefined,
    };
    const failure = await writeSlices(build as unknown as Build, record as never, 1).catch(String);
    expect([failure, sent]).to.deep.equal(['Error: taken over', 0]);
  });
});
