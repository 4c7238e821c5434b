import type { Client } from '@elastic/elasticsearch';
import { type Builder, planSlices, type Registry } from '@vitrine/feed-index';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { BuilderLease } from './builder-lease.ts';
import { SharedScan } from './shared-scan.ts';

const AT = new Date(0).toISOString();
const versions = { states: 1, items: 1, rules: 1 };
const builder: Builder = { id: 'a', host: 'h', pid: 1, started_at: AT, seen_at: AT };

/** The scan of a builder, with four slices and a registry in memory. */
function scanInMemory() {
  const planned = { slices: planSlices([{ shard: '0', highest: 2_999 }]), total: 3_000, writer: 'w' };
  const record = {
    number: 2,
    phase: 'deriving',
    versions,
    created_at: '',
    origin: { from: 'topic' },
    scan: planned,
  } as const;
  let registry: Registry = { generations: [record], last: 2, builders: [builder] };
  let writes = 0;
  const client = {
    get: async () => ({ _source: { registry }, _seq_no: 1, _primary_term: 1 }),
    index: async ({ document }: { document: { registry: Registry } }) => {
      writes++;
      registry = document.registry;
    },
  } as unknown as Client;
  const log = createLog('test', 'silent');
  const lease = new BuilderLease({ client, prefix: 'p', log }, builder, record, registry);
  return {
    scan: new SharedScan(lease, log),
    slices: () => registry.generations[0]?.scan?.slices ?? [],
    writes: () => writes,
    release: () => lease.release(),
  };
}

describe('a shared scan', () => {
  let stopping: AbortController;
  beforeEach(() => {
    stopping = new AbortController();
  });
  afterEach(() => stopping.abort());

  it('stores a finished slice in the same update that claims the next one', async () => {
    const { scan, slices, writes, release } = scanInMemory();
    for (let claims = 0; claims < 4; claims++)
      scan.finish((await scan.next(stopping.signal))?.index as number);
    expect(await scan.next(stopping.signal)).to.equal(undefined);
    expect(slices().map(({ done, builder }) => [done, builder])).to.deep.equal(
      Array.from({ length: 4 }, () => [true, 'a']),
    );
    expect(writes()).to.equal(5);
    await release();
  });

  it("ends a wait for the last slice when the builder's own slices are done", async () => {
    const { scan, writes, release } = scanInMemory();
    const own = [
      await scan.next(stopping.signal),
      await scan.next(stopping.signal),
      await scan.next(stopping.signal),
    ].map((slice) => slice?.index);
    const waiting = scan.next(stopping.signal);
    for (const index of own) scan.finish(index as number);
    expect((await waiting)?.index).to.equal(3);
    expect(writes()).to.equal(5);
    await release();
  });

  it('claims nothing for a caller that has failed, because the command would not end', async () => {
    const { scan, writes, release } = scanInMemory();
    stopping.abort(new Error('failed'));
    const error = await scan.next(stopping.signal).catch((error: Error) => error);
    expect(error).to.have.property('message', 'failed');
    expect(writes()).to.equal(0);
    await release();
  });
});
