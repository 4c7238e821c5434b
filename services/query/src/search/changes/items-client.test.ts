import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { BudgetExceeded, PAGE_LIMITS, RequestBudget, SharedMemory } from '../../budget/request-budget.ts';
import type { SendSearch } from '../direct-search.ts';
import { ResponseReader } from '../response-reader.ts';
import { FeedUnavailable } from '../search-failure.ts';
import { SearchLimiter } from '../search-limiter.ts';
import { ItemsClient } from './items-client.ts';

const { signal } = new AbortController();
const EMPTY =
  '{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"failed":0},"hits":{"hits":[]}}';

/** A client whose Elasticsearch responds with these bodies. */
function clientOf({ terms = ['b'] as unknown, found = EMPTY } = {}) {
  const limiter = new SearchLimiter({ limit: 1 });
  const sent: unknown[] = [];
  const running: number[] = [];
  const send: SendSearch = async (_, path, body) => {
    running.push(limiter.running);
    sent.push([path, body]);
    return { status: 200, bytes: Buffer.from(found) };
  };
  const elasticsearch = {
    async termsEnum(request: unknown) {
      running.push(limiter.running);
      sent.push(request);
      return { terms, complete: true };
    },
  } as unknown as Client;
  const connection = { elasticsearch, indexPrefix: 'p', limiter, responses: new ResponseReader(1e6), send };
  const budget = new RequestBudget({ ...PAGE_LIMITS, searches: 1 }, new SharedMemory(1e9));
  return { client: new ItemsClient(connection), sent, running, budget };
}
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('requests for the items of an export', () => {
  it('enumerate the ids after an id, within the limit of searches and the budget', async () => {
    const { client, sent, running, budget } = clientOf();
    expect(await client.idsAfter('a', 5, signal, budget)).to.deep.equal(['b']);
    expect(sent).to.deep.equal([
      { index: 'p-items', field: 'id', size: 5, timeout: '4s', search_after: 'a' },
    ]);
    expect(running).to.deep.equal([1]);
    expect(await reasonOf(client.idsAfter('a', 5, signal, budget))).to.be.instanceOf(BudgetExceeded);
  });

  it('refuse an enumeration without texts', async () => {
    for (const terms of [null, {}, 'ab', [1]]) {
      const { client, budget } = clientOf({ terms });
      expect(await reasonOf(client.idsAfter('', 5, signal, budget)), String(terms)).to.be.instanceOf(
        FeedUnavailable,
      );
    }
  });

  it('search a slice between its ids, so that Elasticsearch visits no later item', async () => {
    const { client, sent, running, budget } = clientOf();
    const { lastId } = await client.slice('pit', { after: 'a', upTo: 'c' }, 5, signal, budget);
    expect(lastId).to.equal(undefined);
    expect(running, 'within the search limit').to.deep.equal([1]);
    expect((sent as [string, { query: unknown }][])[0]?.[1].query).to.deep.equal({
      range: { id: { gt: 'a', lte: 'c' } },
    });
  });

  it('never take a response without a list of hits, or without an id, for an empty slice', async () => {
    for (const hits of ['{}', '{"hits":[{"_source":{"id":"a"},"sort":[null]}]}']) {
      const { client, budget } = clientOf({ found: EMPTY.replace('{"hits":[]}', hits) });
      expect(await reasonOf(client.slice('pit', {}, 5, signal, budget)), hits).to.be.instanceOf(
        FeedUnavailable,
      );
    }
  });
});
