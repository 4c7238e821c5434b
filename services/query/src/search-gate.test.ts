import { expect } from 'chai';
import { Overloaded, SearchGate } from './search-gate.ts';

describe('search gate', () => {
  const forever = new AbortController().signal;
  const gateOf = (limit: number, { patienceMs = 5_000, isBusy = (): boolean => false } = {}) => new SearchGate({ limit, patienceMs, isBusy });
  const refusal = (given: Promise<unknown>) =>
    given.then(
      () => expect.fail('let in'),
      (error: unknown) => error,
    );
  /** Work that goes on until it is told to end. */
  const work = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { begin: () => promise, end: resolve };
  };

  it('lets so many work at a time, as many wait in line, and refuses the rest at once', async () => {
    const gate = gateOf(2);
    const works = Array.from({ length: 5 }, work);
    const given = works.map(({ begin }) => gate.pass(begin, forever));
    expect(await refusal(given[4] as Promise<void>)).to.be.instanceOf(Overloaded);
    expect([gate.running, gate.waiting]).to.deep.equal([2, 2]);
    for (const { end } of works) end();
    await Promise.all(given.slice(0, 4));
    expect([gate.running, gate.waiting]).to.deep.equal([0, 0]);
  });

  it('gives a place on to whoever waits longest, also when work fails', async () => {
    const gate = gateOf(1);
    const order: string[] = [];
    const [first, second] = [work(), work()];
    const failing = gate.pass(async () => {
      await first.begin();
      throw new Error('failed');
    }, forever);
    const next = gate.pass(async () => order.push('next'), forever);
    first.end();
    second.end();
    expect((await refusal(failing)) as Error).to.have.property('message', 'failed');
    await next;
    expect(order).to.deep.equal(['next']);
    expect(gate.running).to.equal(0);
  });

  it('lets nobody wait longer than he has patience', async () => {
    const gate = gateOf(1, { patienceMs: 20 });
    const { begin, end } = work();
    const given = gate.pass(begin, forever);
    expect(await refusal(gate.pass(begin, forever))).to.be.instanceOf(Overloaded);
    expect(gate.waiting).to.equal(0);
    end();
    await given;
  });

  it('frees the place in line of one who goes', async () => {
    const gate = gateOf(1);
    const { begin, end } = work();
    const given = gate.pass(begin, forever);
    const leaving = new AbortController();
    const left = gate.pass(begin, leaving.signal);
    const started = performance.now();
    leaving.abort();
    expect(await refusal(left)).to.be.instanceOf(Overloaded);
    expect(performance.now() - started).to.be.below(2_000);
    expect(gate.waiting).to.equal(0);
    end();
    await given;
  });

  it('begins nothing while the process is late', async () => {
    let began = false;
    const gate = gateOf(1, { isBusy: () => true });
    expect(await refusal(gate.pass(async () => (began = true), forever))).to.be.instanceOf(Overloaded);
    expect(began).to.equal(false);
  });
});
