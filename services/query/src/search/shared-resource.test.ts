import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { PointInTimeLost } from './search-failure.ts';
import { SharedResource, type SharedResourceOptions } from './shared-resource.ts';

const LIFETIME_MS = 5;
const KEPT = { patienceMs: 1, keptMs: 60_000 };

describe('shared resource', () => {
  const { signal } = new AbortController();

  /** Resources are numbered. The first one opens at once, and the others open when the test opens them. */
  const create = (whileOpening?: SharedResourceOptions<number>['whileOpening']) => {
    const openings: PromiseWithResolvers<number>[] = [];
    const closed: number[] = [];
    const shared = new SharedResource<number>({
      open: () => {
        const opening = Promise.withResolvers<number>();
        openings.push(opening);
        if (openings.length === 1) opening.resolve(1);
        return opening.promise;
      },
      close: async (resource) => closed.push(resource),
      lifetimeMs: LIFETIME_MS,
      ...(whileOpening && { whileOpening }),
    });
    const read = () => shared.use(async (resource) => resource, signal);
    const untilExpired = () => pass(4 * LIFETIME_MS);
    return { shared, openings, closed, read, untilExpired };
  };

  it('serves readers with the previous one while the next one opens slowly', async () => {
    const { openings, closed, read, untilExpired } = create(KEPT);
    expect(await read()).to.equal(1);
    await untilExpired();
    expect(await read()).to.equal(1);
    expect(openings).to.have.length(2);
    openings[1]?.resolve(2);
    await pass(1);
    expect(closed).to.deep.equal([1]);
  });

  it('serves readers with the previous one without a wait for a while after its lifetime', async () => {
    const { openings, read, untilExpired } = create({ ...KEPT, graceMs: 60_000, patienceMs: 60_000 });
    await read();
    await untilExpired();
    expect(await read()).to.equal(1);
    expect(openings, 'the next one is opening').to.have.length(2);
    openings[1]?.resolve(2);
    await pass(1);
    expect(await read()).to.equal(2);
  });

  it('serves readers with the next one if it opens in time', async () => {
    const { openings, read, untilExpired } = create({ ...KEPT, patienceMs: 60_000 });
    await read();
    await untilExpired();
    const reading = read();
    openings[1]?.resolve(2);
    expect(await reading).to.equal(2);
  });

  it('lets readers wait if the previous one has been kept for its whole time', async () => {
    const { openings, closed, read } = create({ patienceMs: 1, keptMs: 1 });
    await read();
    // The timer for the kept time starts only when the lifetime's timer fires. A timer that starts here could
    // therefore fire too early.
    while (closed.length === 0) await pass(1);
    expect(closed).to.deep.equal([1]);
    const reading = read();
    await pass(10);
    openings[1]?.resolve(2);
    expect(await reading).to.equal(2);
  });

  it('opens one at a time, although opening takes longer than the lifetime', async () => {
    const { openings, closed, read, untilExpired } = create();
    await read();
    await untilExpired();
    const readings = [read()];
    await untilExpired();
    readings.push(read());
    expect(openings).to.have.length(2);
    openings[1]?.resolve(2);
    expect(await Promise.all(readings)).to.deep.equal([2, 2]);
    await pass(1);
    expect(closed).to.deep.equal([1, 2]);
  });

  it('continues with the next one if the previous one is lost', async () => {
    const { shared, openings, closed, read, untilExpired } = create(KEPT);
    await read();
    await untilExpired();
    const used: number[] = [];
    const reading = shared.use(async (resource) => {
      used.push(resource);
      if (resource === 1) {
        openings[1]?.resolve(2);
        throw new PointInTimeLost('gone');
      }
      return resource;
    }, signal);
    expect(await reading).to.equal(2);
    expect(used).to.deep.equal([1, 2]);
    expect(closed).to.deep.equal([1]);
  });

  it('closes all at the end', async () => {
    const { shared, openings, closed, read, untilExpired } = create(KEPT);
    await read();
    await untilExpired();
    await read();
    openings[1]?.resolve(2);
    await shared.close();
    expect(closed).to.have.members([1, 2]);
  });
});
