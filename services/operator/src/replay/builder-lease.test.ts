import type { Client } from '@elastic/elasticsearch';
import type { Builder, Registry } from '@vitrine/feed-index';
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
  let registry: Registry = {
    generations: [{ number: 2, phase: 'deriving', versions, created_at: '', origin: { from: 'topic' } }],
    last: 2,
    builder,
  };
  const client = {
    get: async () => ({ _source: { registry }, _seq_no: 1, _primary_term: 1 }),
    index: async ({ document }: { document: { registry: Registry } }) => {
      registry = document.registry;
    },
  } as unknown as Client;
  const lease = new BuilderLease(client, 'p', builder, 2, createLog('test', 'silent'), () => ({ ...clock }));
  const takeOver = () => {
    registry = { ...registry, builder: { ...builder, id: 'b' } };
  };
  return { lease, takeOver };
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

  beforeEach(() => {
    Object.assign(clock, { wall: START, monotonic: 0 });
    ({ lease, takeOver } = leaseOn(clock));
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
      await lease.advance({});
      expect(await isConfirmed(lease)).to.equal(true);
    });

  it('is lost when another builder has taken over, even if the heartbeat is recent', async () => {
    takeOver();
    const failure = await lease.advance({}).then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failure).to.have.property('name', 'GenerationError');
    expect(lease.lost.aborted).to.equal(true);
    expect(await isConfirmed(lease)).to.equal(false);
  });
});
