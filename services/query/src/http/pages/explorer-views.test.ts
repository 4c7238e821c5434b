import { expect } from 'chai';
import { Page } from '../../cache/page.ts';
import { Problem } from '../../contract/problem.ts';
import { createViewReader, languageOf, type ViewReaderOptions } from './explorer-views.ts';

const pageOf = (body: string) => new Page({ body: Buffer.from(body), etag: `W/"${body.length}"` });
const RESULTS = JSON.stringify({ data: [{ id: 'a' }], meta: { total: 30, pageCount: 3 } });

/** Reads a view, and notes the requests, the failures and the cost behind it. */
async function readView(search: string, options: Partial<ViewReaderOptions> = {}) {
  let cost = 0;
  const account = {
    client: '',
    charge: () => undefined,
    settle(requests: number) {
      cost += requests;
    },
  };
  const asked: string[] = [];
  const failures: unknown[] = [];
  const reader = createViewReader({
    read: async (feed, adType, query) => {
      asked.push(`${feed} ${adType} ${query}`);
      return {
        page: pageOf(RESULTS),
        ageSeconds: 0,
        outcome: 'miss',
        key: { criteria: '', dateVariant: '' },
        date: '',
      };
    },
    readListing: async (id) => {
      asked.push(id);
      return pageOf(id === 'a' ? '{"id":"a"}' : '');
    },
    readNames: async () => 0,
    onFailure: (error) => failures.push(error),
    ...options,
  });
  const { found, ...view } = await reader(search, new AbortController().signal, account);
  const content = found();
  return { asked, failures, cost, ...view, ...content };
}

describe('first view of the explorer', () => {
  it("asks once, for the page that the explorer's script will request", async () => {
    const { asked, search, results } = await readView('?type=rent&city=recife&unknown=1&page=2');
    expect(asked).to.deep.equal(['ai-feed rent city=recife&page=2&pageSize=12']);
    expect(search).to.equal('?city=recife&type=rent&page=2');
    expect(results).to.deep.equal({ items: [{ id: 'a' }], total: 30, pageCount: 3 });
  });

  it('reads only the listing that the URL names, and knows that a listing does not exist', async () => {
    const { asked, listing, status } = await readView('?city=recife&listing=a');
    expect([asked, listing, status]).to.deep.equal([['a'], { id: 'a' }, 200]);
    const gone = await readView('?listing=gone');
    expect([gone.listing, gone.status]).to.deep.equal([null, 404]);
  });

  it('appears without results if the search fails, is refused, or takes too long', async () => {
    const failing = (error: Error) => ({ read: () => Promise.reject(error) });
    const outage = new Error('outage');
    const failed = await readView('', failing(outage));
    expect([failed.results, failed.failures]).to.deep.equal([undefined, [outage]]);
    const refused = await readView('', failing(new Problem('invalid-parameters', 'no')));
    expect([refused.results, refused.failures]).to.deep.equal([undefined, []]);
    const slow = await readView('', {
      maxWaitMs: 1,
      read: (_feed, _adType, _query, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    expect([slow.results, slow.failures]).to.deep.equal([undefined, []]);
  });

  it('does not parse a page of more than 1 MiB', async () => {
    const body = JSON.stringify({ data: ['x'.repeat(1024 * 1024)], meta: { total: 1, pageCount: 1 } });
    const read = async () => ({
      page: pageOf(body),
      ageSeconds: 0,
      outcome: 'miss' as const,
      key: { criteria: '', dateVariant: '' },
      date: '',
    });
    expect((await readView('', { read })).results).to.equal(undefined);
  });

  it('costs one more request for each 512 KiB that it parses', async () => {
    const listing = JSON.stringify({ id: 'a', description: 'x'.repeat(600 * 1024) });
    const readListing = async () => pageOf(listing);
    expect((await readView('?listing=a', { readListing })).cost).to.equal(1);
    expect((await readView('')).cost).to.equal(0);
  });

  it('does not repeat a long query in each result', async () => {
    const long = `?compare=${'('.repeat(1_400)}`;
    const { asked, results } = await readView(long);
    expect([asked, results]).to.deep.equal([[], undefined]);
    expect((await readView(`${long}&listing=a`)).listing).to.deep.equal({ id: 'a' });
    expect((await readView(`?compare=${'('.repeat(600)}`)).results).not.to.equal(undefined);
  });

  it('is in Portuguese for clients that accept it', () => {
    expect(['en,pt;q=0', 'en, pt-BR; q=0.000', 'en,pt;q=0.1', 'pt;q=0, pt-BR'].map(languageOf)).to.deep.equal(
      ['en', 'en', 'pt-BR', 'pt-BR'],
    );
    expect(['pt-BR,en;q=0.8', 'en, pt', 'en-US', 'fr-pt', ''].map(languageOf)).to.deep.equal([
      'pt-BR',
      'pt-BR',
      'en',
      'en',
      'en',
    ]);
  });
});
