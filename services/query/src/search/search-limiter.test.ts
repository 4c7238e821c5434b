import { expect } from 'chai';
import { Overloaded, SearchLimiter } from './search-limiter.ts';

describe('search limiter', () => {
  const forever = new AbortController().signal;
  const limiterOf = (limit: number, { queueTimeoutMs = 5_000, isBusy = (): boolean => false } = {}) =>
    new SearchLimiter({ limit, queue: limit, queueTimeoutMs, isBusy });
  const refusal = (given: Promise<unknown>) =>
    given.then(
      () => expect.fail('admitted'),
      (error: unknown) => error,
    );
  /** Work that ends when the test calls `end`. */
  const work = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { begin: () => promise, end: resolve };
  };

  it('admits up to its limit, queues up to the queue length, and refuses the rest at once', async () => {
    const limiter = limiterOf(2);
    const works = Array.from({ length: 5 }, work);
    const given = works.map(({ begin }) => limiter.pass(begin, forever));
    expect(await refusal(given[4] as Promise<void>)).to.be.instanceOf(Overloaded);
    expect([limiter.running, limiter.waiting]).to.deep.equal([2, 2]);
    for (const { end } of works) end();
    await Promise.all(given.slice(0, 4));
    expect([limiter.running, limiter.waiting]).to.deep.equal([0, 0]);
  });

  it('queues without a limit if none is set', async () => {
    const limiter = new SearchLimiter({ limit: 1 });
    const release = await limiter.enter(forever);
    const given = Array.from({ length: 50 }, () => limiter.pass(async () => 'done', forever));
    expect(limiter.waiting).to.equal(50);
    release();
    expect(new Set(await Promise.all(given))).to.deep.equal(new Set(['done']));
    expect(limiter.running).to.equal(0);
  });

  it('passes a slot to the first in the queue, even after work fails', async () => {
    const limiter = limiterOf(1);
    const order: string[] = [];
    const [first, second] = [work(), work()];
    const failing = limiter.pass(async () => {
      await first.begin();
      throw new Error('failed');
    }, forever);
    const next = limiter.pass(async () => order.push('next'), forever);
    first.end();
    second.end();
    expect((await refusal(failing)) as Error).to.have.property('message', 'failed');
    await next;
    expect(order).to.deep.equal(['next']);
    expect(limiter.running).to.equal(0);
  });

  it('releases a slot only once', async () => {
    const limiter = limiterOf(2);
    const releases = [await limiter.enter(forever), await limiter.enter(forever)];
    releases[0]?.();
    releases[0]?.();
    expect(limiter.running).to.equal(1);
  });

  it('holds the slot of a caller that gave up until its work has ended', async () => {
    const limiter = limiterOf(1);
    const leaving = new AbortController();
    const { begin, end } = work();
    const given = limiter.pass(begin, leaving.signal);
    await Promise.resolve();
    leaving.abort();
    await new Promise(setImmediate);
    expect(limiter.running).to.equal(1);
    end();
    await given;
    expect(limiter.running).to.equal(0);
  });

  it('limits the time in the queue', async () => {
    const limiter = limiterOf(1, { queueTimeoutMs: 20 });
    const { begin, end } = work();
    const given = limiter.pass(begin, forever);
    expect(await refusal(limiter.pass(begin, forever))).to.be.instanceOf(Overloaded);
    expect(limiter.waiting).to.equal(0);
    end();
    await given;
  });

  it('removes a caller that gives up from the queue, and starts no work for it', async () => {
    const limiter = limiterOf(1);
    const { begin, end } = work();
    const given = limiter.pass(begin, forever);
    const leaving = new AbortController();
    const left = limiter.pass(begin, leaving.signal);
    leaving.abort();
    /** The refusal, unless it needs a timer. */
    const atOnce = (given: Promise<unknown>) => Promise.race([refusal(given), new Promise(setImmediate)]);
    expect(await atOnce(left)).to.be.instanceOf(Overloaded);
    expect(await atOnce(limiter.enter(leaving.signal)), 'that gave up before').to.be.instanceOf(Overloaded);
    expect(limiter.waiting).to.equal(0);
    end();
    await given;
  });

  it('starts no work while the process is busy', async () => {
    let began = false;
    const limiter = limiterOf(1, { isBusy: () => true });
    expect(await refusal(limiter.pass(async () => (began = true), forever))).to.be.instanceOf(Overloaded);
    expect(began).to.equal(false);
  });
});
