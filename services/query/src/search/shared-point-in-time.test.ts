import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { FeedUnavailable, PointInTimeLost } from './search-failure.ts';
import { SharedPointInTime } from './shared-point-in-time.ts';

describe('shared point in time', () => {
  const forever = new AbortController().signal;
  const create = (lifetimeMs = 10_000) => {
    let opened = 0;
    const closed: string[] = [];
    return {
      closed,
      sharedPointInTime: new SharedPointInTime({
        open: async () => `pit-${++opened}`,
        close: async (id) => closed.push(id),
        lifetimeMs,
      }),
    };
  };
  const idOf = (sharedPointInTime: SharedPointInTime) => sharedPointInTime.use(async ({ id }) => id, forever);
  /** Runs a read that fails with `error`. @returns the ids of the points in time that it received */
  const failing = async (sharedPointInTime: SharedPointInTime, error: Error, signal = forever) => {
    const ids: string[] = [];
    const read = async ({ id }: { id: string }) => {
      ids.push(id);
      throw error;
    };
    expect(await sharedPointInTime.use(read, signal).catch((raised: unknown) => raised)).to.equal(error);
    return ids;
  };

  it('is shared during its lifetime, and closed once after it', async () => {
    const { sharedPointInTime, closed } = create(20);
    expect(await Promise.all([idOf(sharedPointInTime), idOf(sharedPointInTime)])).to.deep.equal([
      'pit-1',
      'pit-1',
    ]);
    expect(closed).to.deep.equal([]);
    await pass(40);
    expect(await idOf(sharedPointInTime)).to.equal('pit-2');
    expect(closed).to.deep.equal(['pit-1']);
  });

  it('stays open while it has readers', async () => {
    const { sharedPointInTime, closed } = create(5);
    const done = Promise.withResolvers<void>();
    const using = sharedPointInTime.use(() => done.promise, forever);
    await pass(20);
    expect(closed).to.deep.equal([]);
    done.resolve();
    await using;
    await pass(1);
    expect(closed).to.deep.equal(['pit-1']);
  });

  it('is replaced once if it is lost', async () => {
    const { sharedPointInTime, closed } = create();
    await idOf(sharedPointInTime);
    expect(await failing(sharedPointInTime, new PointInTimeLost('gone'))).to.deep.equal(['pit-1', 'pit-2']);
    expect(await idOf(sharedPointInTime)).to.equal('pit-3');
    await pass(1);
    expect(closed).to.deep.equal(['pit-1', 'pit-2']);
  });

  it('is not replaced for a caller that gave up', async () => {
    const { sharedPointInTime } = create();
    await idOf(sharedPointInTime);
    const leaving = new AbortController();
    const used = sharedPointInTime.use(async () => {
      leaving.abort();
      throw new PointInTimeLost('gone');
    }, leaving.signal);
    expect(await used.catch((error: unknown) => error)).to.be.instanceOf(PointInTimeLost);
    expect(await idOf(sharedPointInTime)).to.equal('pit-2');
  });

  it('stays after any other failure, without a repetition', async () => {
    const { sharedPointInTime, closed } = create();
    await idOf(sharedPointInTime);
    for (const error of [new FeedUnavailable('timed out'), new FeedUnavailable('429'), new Error('ours')]) {
      expect(await failing(sharedPointInTime, error), error.message).to.deep.equal(['pit-1']);
    }
    expect(await idOf(sharedPointInTime)).to.equal('pit-1');
    expect(closed).to.deep.equal([]);
  });

  it('is opened again by the next page if opening failed', async () => {
    let fails = true;
    const sharedPointInTime = new SharedPointInTime({
      open: () => (fails ? Promise.reject(new FeedUnavailable('down')) : Promise.resolve('pit')),
      close: async () => undefined,
      lifetimeMs: 10_000,
    });
    expect(await idOf(sharedPointInTime).catch((error: unknown) => error)).to.be.instanceOf(FeedUnavailable);
    fails = false;
    expect(await idOf(sharedPointInTime)).to.equal('pit');
  });

  it('releases a caller that gives up while it is being opened', async () => {
    const opening = Promise.withResolvers<string>();
    const sharedPointInTime = new SharedPointInTime({
      open: () => opening.promise,
      close: async () => undefined,
      lifetimeMs: 10_000,
    });
    const leaving = new AbortController();
    const left = sharedPointInTime.use(async ({ id }) => id, leaving.signal).catch((error: unknown) => error);
    const staying = idOf(sharedPointInTime);
    leaving.abort();
    expect(await left).to.be.instanceOf(FeedUnavailable);
    opening.resolve('pit');
    expect(await staying).to.equal('pit');
  });

  it('is closed at the end, or after its last reader if it is retired', async () => {
    const { sharedPointInTime, closed } = create(5);
    const done = Promise.withResolvers<void>();
    const using = sharedPointInTime.use(() => done.promise, forever);
    await pass(20);
    expect(await idOf(sharedPointInTime)).to.equal('pit-2');
    const end = sharedPointInTime.close();
    await pass(1);
    expect(closed).to.deep.equal(['pit-2']);
    done.resolve();
    await Promise.all([using, end]);
    expect(closed).to.deep.equal(['pit-2', 'pit-1']);
  });
});
