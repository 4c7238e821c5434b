import { expect } from 'chai';
import { Abandoned, SingleFlight } from './single-flight.ts';

describe('single flight', () => {
  const outcome = (given: Promise<unknown>) => given.catch((error: unknown) => error);
  const startWork = () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const seen: AbortSignal[] = [];
    const work = (signal: AbortSignal) => {
      seen.push(signal);
      return promise;
    };
    return { work, resolve, reject, seen };
  };
  const staying = new AbortController().signal;

  it('runs equal work once, and other work separately', async () => {
    const flights = new SingleFlight<string>(1_000);
    const { work, resolve, seen } = startWork();
    const given = Array.from({ length: 1_000 }, () => flights.join('a', work, staying));
    expect(await flights.join('b', async () => 'other', staying)).to.equal('other');
    resolve('done');
    expect(new Set(await Promise.all(given))).to.deep.equal(new Set(['done']));
    expect(seen).to.have.lengthOf(1);
    expect(flights.isInFlight('a')).to.equal(false);
  });

  it('repeats the work after it has completed or failed', async () => {
    const flights = new SingleFlight<string>(1_000);
    let times = 0;
    const work = () => (++times === 1 ? Promise.reject(new Error('failed')) : Promise.resolve('done'));
    expect(await outcome(flights.join('a', work, staying))).to.have.property('message', 'failed');
    expect(await flights.join('a', work, staying)).to.equal('done');
  });

  it('continues while any caller waits, and ends with the last caller', async () => {
    const flights = new SingleFlight<string>(1_000);
    const { work, seen } = startWork();
    const [one, two] = [new AbortController(), new AbortController()];
    const given = [flights.join('a', work, one.signal), flights.join('a', work, two.signal)].map(outcome);
    one.abort();
    expect(await given[0]).to.be.instanceOf(Abandoned);
    expect(seen[0]?.aborted).to.equal(false);
    two.abort();
    expect(await given[1]).to.be.instanceOf(Abandoned);
    expect(seen[0]?.aborted).to.equal(true);
    expect(await flights.join('a', async () => 'again', staying)).to.equal('again');
  });

  it('ends at its deadline for every waiting caller', async () => {
    const flights = new SingleFlight<string>(20);
    const { work, seen } = startWork();
    expect(
      await Promise.all([flights.join('a', work, staying), flights.join('a', work, staying)].map(outcome)),
    ).to.satisfy((ends: unknown[]) => ends.every((end) => end instanceof Abandoned));
    expect(seen[0]?.aborted).to.equal(true);
    expect(flights.isInFlight('a')).to.equal(false);
  });

  it('is not joined when it has become too old, and completes for its callers', async () => {
    const flights = new SingleFlight<string>(10_000, 5);
    const { work, resolve } = startWork();
    const given = flights.join('a', work, staying);
    expect(flights.isInFlight('a')).to.equal(true);
    while (flights.isInFlight('a')) await new Promise((done) => setTimeout(done, 1));
    expect(await flights.join('a', async () => 'new', staying)).to.equal('new');
    resolve('old');
    expect(await given).to.equal('old');
  });

  it('continues without callers once it is detached', async () => {
    const flights = new SingleFlight<string>(1_000);
    const { work, resolve, seen } = startWork();
    const leaving = new AbortController();
    const left = outcome(flights.join('a', work, leaving.signal));
    const given = flights.detach('a', work);
    leaving.abort();
    await left;
    expect(seen.map(({ aborted }) => aborted)).to.deep.equal([false]);
    resolve('done');
    expect(await given).to.equal('done');
  });
});
