import type { Client } from '@elastic/elasticsearch';
import { type Builder, type Registry, withJoiningBuilder, withLostBuilders } from '@vitrine/feed-index';
import type { Moment } from '@vitrine/projection/store';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { BuilderLease, UNSURE_AFTER_MS } from './builder-lease.ts';

const START = Date.UTC(2026, 0, 1);
const builder: Builder = {
  id: 'a',
  host: 'h',
  pid: 1,
  started_at: new Date(START).toISOString(),
  seen_at: new Date(START).toISOString(),
};
const versions = { states: 1, items: 1, rules: 1 };

/**
 * A lease with simulated clocks and a registry in memory, because a test can neither suspend the host nor
 * change its clock.
 */
function leaseOn(clock: Moment) {
  const record = {
    number: 2,
    phase: 'deriving',
    versions,
    created_at: '',
    origin: { from: 'topic' },
  } as const;
  let registry: Registry = { generations: [record], last: 2, builders: [builder] };
  const requests: string[] = [];
  const client = {
    get: async () => {
      requests.push('read');
      return { _source: { registry }, _seq_no: 1, _primary_term: 1 };
    },
    index: async ({ document }: { document: { registry: Registry } }) => {
      requests.push('write');
      registry = document.registry;
    },
  } as unknown as Client;
  const lease = new BuilderLease(
    { client, prefix: 'p', log: createLog('test', 'silent') },
    builder,
    record,
    registry,
    () => ({ ...clock }),
  );
  const takeOver = () => {
    registry = withLostBuilders(registry, ['a'], { host: 'h', pid: 2 }, builder.seen_at);
  };
  const join = (other: Builder) => {
    registry = withJoiningBuilder(registry, 2, other);
  };
  return { lease, takeOver, join, requests, stored: () => registry };
}

/** Returns whether the lease is confirmed without a wait. */
async function isConfirmed(lease: BuilderLease): Promise<boolean> {
  let waited = false;
  const enough = new AbortController();
  await lease.confirmed(enough.signal, () => {
    waited = true;
    enough.abort();
  });
  return !waited;
}

describe("a builder's lease", () => {
  const clock: Moment = { wall: START, monotonic: 0 };
  let lease: BuilderLease;
  let takeOver: () => void;
  let join: (other: Builder) => void;
  let stored: () => Registry;
  let requests: string[];

  beforeEach(() => {
    Object.assign(clock, { wall: START, monotonic: 0 });
    ({ lease, takeOver, join, requests, stored } = leaseOn(clock));
  });
  afterEach(() => lease.release());

  it('is confirmed while its last heartbeat is recent', async () => {
    Object.assign(clock, { wall: START + UNSURE_AFTER_MS, monotonic: UNSURE_AFTER_MS });
    expect(await isConfirmed(lease)).to.equal(true);
  });

  for (const [title, wall, monotonic] of [
    ['the process was stopped', UNSURE_AFTER_MS + 1, UNSURE_AFTER_MS + 1],
    ['the host slept, and its monotonic clock with it', UNSURE_AFTER_MS + 1, 0],
    ['the process was stopped, and the wall clock was set back', -60_000, UNSURE_AFTER_MS + 1],
  ] as const)
    it(`is unsure after ${title}, until a heartbeat succeeds`, async () => {
      Object.assign(clock, { wall: START + wall, monotonic });
      expect(await isConfirmed(lease)).to.equal(false);
      await lease.beat();
      expect(await isConfirmed(lease)).to.equal(true);
    });

  it('is lost when another builder has taken over, even if the heartbeat is recent', async () => {
    takeOver();
    const failure = await lease.beat().then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failure).to.have.property('name', 'GenerationError');
    expect(lease.lost.aborted).to.equal(true);
    expect(await isConfirmed(lease)).to.equal(false);
  });

  it('stores its progress until it learns that the phase is over', async () => {
    lease.note({ done: 5, total: 9 });
    await lease.beat();
    expect(stored().builders?.[0]).to.include({ done: 5, total: 9 });
    await lease.update((record) => ({ ...record, phase: 'following' }));
    expect(stored().builders?.[0]).not.to.have.any.keys('done', 'total');
    await lease.beat();
    expect(stored().builders?.[0]).not.to.have.any.keys('done', 'total');
  });

  it('does its updates one after the other, so that they do not conflict with each other', async () => {
    await Promise.all([lease.beat(), lease.beat(), lease.beat()]);
    expect(requests).to.deep.equal(['read', 'write', 'read', 'write', 'read', 'write']);
  });

  it('marks another builder as lost when its heartbeat has stopped, and frees its slices', async () => {
    join({ ...builder, id: 'c', pid: 3 });
    const slices = [{ shard: '0', after: -1, states: 0, builder: 'c' }];
    await lease.update((record) => ({ ...record, scan: { slices, total: 1, writer: 'w' } }));
    expect(lease.builders).to.equal(2);
    for (let second = 2; second <= 16; second += 2) {
      Object.assign(clock, { wall: START + second * 1_000, monotonic: second * 1_000 });
      await lease.beat();
    }
    expect(stored().builders?.map(({ id, lost }) => [id, lost?.pid])).to.deep.equal([
      ['c', 1],
      ['a', undefined],
    ]);
    expect(stored().generations[0]?.scan?.slices).to.deep.equal([
      { shard: '0', after: -1, states: 0, lost: ['c'] },
    ]);
    expect(lease.builders).to.equal(1);
  });
});
