import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { FeedUnavailable, PointInTimeLost } from './search-failure.ts';
import { Snapshots } from './shared-point-in-time.ts';

describe('snapshots', () => {
  const forever = new AbortController().signal;
  const create = (lifetimeMs = 10_000) => {
    let opened = 0;
    const closed: string[] = [];
    return { closed, snapshots: new Snapshots({ open: async () => `pit-${++opened}`, close: async (id) => closed.push(id), lifetimeMs }) };
  };
  const idOf = (snapshots: Snapshots) => snapshots.use(async ({ id }) => id, forever);
  /** Uses snapshots in a way that fails; the ids that it got. */
  const failing = async (snapshots: Snapshots, error: Error, signal = forever) => {
    const ids: string[] = [];
    const read = async ({ id }: { id: string }) => {
      ids.push(id);
      throw error;
    };
    expect(await snapshots.use(read, signal).catch((raised: unknown) => raised)).to.equal(error);
    return ids;
  };

  it('are shared during their lifetime, and closed once after it', async () => {
    const { snapshots, closed } = create(20);
    expect(await Promise.all([idOf(snapshots), idOf(snapshots)])).to.deep.equal(['pit-1', 'pit-1']);
    expect(closed).to.deep.equal([]);
    await pass(40);
    expect(await idOf(snapshots)).to.equal('pit-2');
    expect(closed).to.deep.equal(['pit-1']);
  });

  it('stay open while they are in use', async () => {
    const { snapshots, closed } = create(5);
    const done = Promise.withResolvers<void>();
    const using = snapshots.use(() => done.promise, forever);
    await pass(20);
    expect(closed).to.deep.equal([]);
    done.resolve();
    await using;
    await pass(1);
    expect(closed).to.deep.equal(['pit-1']);
  });

  it('that are lost are replaced, once', async () => {
    const { snapshots, closed } = create();
    await idOf(snapshots);
    expect(await failing(snapshots, new PointInTimeLost('gone'))).to.deep.equal(['pit-1', 'pit-2']);
    expect(await idOf(snapshots)).to.equal('pit-3');
    await pass(1);
    expect(closed).to.deep.equal(['pit-1', 'pit-2']);
  });

  it('that are lost are not replaced for a caller that gave up', async () => {
    const { snapshots } = create();
    await idOf(snapshots);
    const leaving = new AbortController();
    const used = snapshots.use(async () => {
      leaving.abort();
      throw new PointInTimeLost('gone');
    }, leaving.signal);
    expect(await used.catch((error: unknown) => error)).to.be.instanceOf(PointInTimeLost);
    expect(await idOf(snapshots)).to.equal('pit-2');
  });

  it('stay after any other failure, and nothing is repeated', async () => {
    const { snapshots, closed } = create();
    await idOf(snapshots);
    for (const error of [new FeedUnavailable('timed out'), new FeedUnavailable('429'), new Error('ours')]) {
      expect(await failing(snapshots, error), error.message).to.deep.equal(['pit-1']);
    }
    expect(await idOf(snapshots)).to.equal('pit-1');
    expect(closed).to.deep.equal([]);
  });

  it('that cannot be opened fail, and the next page tries again', async () => {
    let fails = true;
    const snapshots = new Snapshots({
      open: () => (fails ? Promise.reject(new FeedUnavailable('down')) : Promise.resolve('pit')),
      close: async () => undefined,
      lifetimeMs: 10_000,
    });
    expect(await idOf(snapshots).catch((error: unknown) => error)).to.be.instanceOf(FeedUnavailable);
    fails = false;
    expect(await idOf(snapshots)).to.equal('pit');
  });

  it('let a caller go that gives up while one is being opened', async () => {
    const opening = Promise.withResolvers<string>();
    const snapshots = new Snapshots({ open: () => opening.promise, close: async () => undefined, lifetimeMs: 10_000 });
    const leaving = new AbortController();
    const left = snapshots.use(async ({ id }) => id, leaving.signal).catch((error: unknown) => error);
    const staying = idOf(snapshots);
    leaving.abort();
    expect(await left).to.be.instanceOf(FeedUnavailable);
    opening.resolve('pit');
    expect(await staying).to.equal('pit');
  });

  it('are all closed at the end: the current one, and one that is still in use when its user is done', async () => {
    const { snapshots, closed } = create(5);
    const done = Promise.withResolvers<void>();
    const using = snapshots.use(() => done.promise, forever);
    await pass(20);
    expect(await idOf(snapshots)).to.equal('pit-2');
    const end = snapshots.close();
    await pass(1);
    expect(closed).to.deep.equal(['pit-2']);
    done.resolve();
    await Promise.all([using, end]);
    expect(closed).to.deep.equal(['pit-2', 'pit-1']);
  });
});
