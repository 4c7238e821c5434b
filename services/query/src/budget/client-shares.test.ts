import { expect } from 'chai';
import { Overloaded, SearchLimiter } from '../search/search-limiter.ts';
import { nextTurn } from '../search/work-turns.ts';
import { ClientShares } from './client-shares.ts';

const signal = new AbortController().signal;

describe('the share of a client', () => {
  it('is half of the places: its further calls wait, and those of others do not', async () => {
    const shares = new ClientShares(new SearchLimiter({ limit: 4, queue: 4 }), 4);
    const started: string[] = [];
    const ended = Promise.withResolvers<void>();
    const call = (client: string) =>
      shares.pass(
        client,
        async () => {
          started.push(client);
          await ended.promise;
        },
        signal,
      );
    const calls = ['a', 'a', 'a', 'a', 'b', 'b'].map(call);
    await nextTurn();
    expect(started).to.deep.equal(['a', 'a', 'b', 'b']);
    ended.resolve();
    await Promise.all(calls);
    expect(started).to.have.length(6);
  });

  it('has a queue with an end', async () => {
    const shares = new ClientShares(new SearchLimiter({ limit: 2 }), 2);
    const ended = Promise.withResolvers<void>();
    const calls = Array.from({ length: 3 }, () => shares.pass('a', () => ended.promise, signal));
    const refused = await shares.pass('a', () => ended.promise, signal).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Overloaded);
    ended.resolve();
    await Promise.all(calls);
    await shares.pass('a', async () => undefined, signal);
  });
});

describe('turns of the event loop', () => {
  it('go to one request each, in order', async () => {
    const turns: string[] = [];
    let loop = 0;
    const count = () => {
      loop++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => turns.push(`${name} ${await nextTurn().then(() => loop)}`)),
    );
    clearImmediate(counting);
    expect(turns).to.deep.equal(['a 1', 'b 2', 'c 3']);
  });
});
