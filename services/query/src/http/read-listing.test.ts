import { expect } from 'chai';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import { freshness } from '../cache/freshness.ts';
import { PageCache } from '../cache/page-cache.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { Overloaded, SearchLimiter } from '../search/search-limiter.ts';
import { createListingReader } from './read-listing.ts';

const NOTHING = Buffer.alloc(0);

/** Reads listings from an index that contains only the id `a`. */
function readerOf() {
  const memory = new SharedMemory(1e9);
  const limiter = new SearchLimiter({ limit: 1, queue: 0, queueTimeoutMs: 1 });
  const asked: string[] = [];
  const settled: number[] = [];
  const read = createListingReader({
    search: {
      items: async ([id = ''], _signal, budget) => {
        asked.push(id);
        await budget.worked(1024 * 1024);
        return id === 'a' ? [{ head: NOTHING, feedItem: Buffer.from('{"id":"a"}'), calendar: NOTHING }] : [];
      },
    },
    limiter,
    cache: new PageCache({
      maxBytes: 1_000_000,
      freshness: freshness(60, 0),
      flights: new SingleFlight(10_000),
      onRead: () => undefined,
      onFailure: () => undefined,
    }),
    newBudget: () => new RequestBudget(PAGE_LIMITS, memory),
    encoder: () => undefined,
  });
  const bodyOf = async (id: string) => {
    const page = await read(id, new AbortController().signal, { settle: (cost) => void settled.push(cost) });
    return (await page.body(undefined)).bytes.toString();
  };
  return { bodyOf, limiter, memory, asked, settled };
}

describe('read listing', () => {
  it('asks once for a listing, whether it exists or not, and charges the work', async () => {
    const { bodyOf, asked, settled, memory } = readerOf();
    expect([await bodyOf('a'), await bodyOf('gone'), await bodyOf('a'), await bodyOf('gone')]).to.deep.equal([
      '{"id":"a"}',
      '',
      '{"id":"a"}',
      '',
    ]);
    expect(asked).to.deep.equal(['a', 'gone']);
    expect(settled).to.deep.equal([2, 2]);
    expect(memory.held).to.equal(0);
  });

  it('takes one of the places that the pages of the feeds also use', async () => {
    const { bodyOf, limiter } = readerOf();
    const end = Promise.withResolvers<void>();
    const running = limiter.pass(() => end.promise, new AbortController().signal);
    const error = await bodyOf('a').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Overloaded);
    end.resolve();
    await running;
  });

  it('asks for no id that is too long to exist', async () => {
    const { bodyOf, asked } = readerOf();
    expect([await bodyOf('x'.repeat(201)), asked]).to.deep.equal(['', []]);
  });
});
