import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { HttpConnection } from '../http-connection.ts';
import { difference, tokensOf } from './answer.ts';
import { FeedClient } from './feed-client.ts';
import { ToolClient } from './tool-client.ts';

describe('clients of the twelve questions', () => {
  it('count the calls, and the tokens of arguments, text and structured content', async () => {
    const text = '3 listings\nid | price';
    const structuredContent = { total: 3, items: [{ id: 'a', price: 1 }] };
    const tools = new ToolClient(async () => ({ content: [{ type: 'text', text }], structuredContent }));
    expect(await tools.search({ city: 'recife' })).to.equal(structuredContent);
    const once = tokensOf('search_listings', '{"city":"recife"}', text, JSON.stringify(structuredContent));
    expect(tools.cost).to.deep.equal({ calls: 1, tokens: once });
    await tools.search({ city: 'recife' });
    expect(tools.cost).to.deep.equal({ calls: 2, tokens: 2 * once });
  });

  it('do not count an error as an answer', async () => {
    const content = [{ type: 'text', text: 'date: must be a date' }];
    const tools = new ToolClient(async () => ({ isError: true, content }));
    const error = await tools.search({ date: 'x' }).catch((each: Error) => each);
    expect(error).to.be.an('error').with.property('message').that.includes('must be a date');
  });

  it('page through the feed only until enough items are found', async () => {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      const page = Number(new URL(request.url ?? '', 'http://a').searchParams.get('page'));
      const data = [1, 2].map((item) => ({ id: `${page}-${item}`, price: page, availability: [] }));
      response.end(JSON.stringify({ data, meta: { total: 8, pageCount: 4 } }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const connection = new HttpConnection((server.address() as AddressInfo).port);
    try {
      const feed = new FeedClient(connection);
      const found = await feed.find('rent', { city: 'recife', pageSize: 2 }, 3, ({ price }) => price > 1);
      expect(found.map(({ id }) => id)).to.deep.equal(['2-1', '2-2', '3-1']);
      expect(paths).to.deep.equal(
        [1, 2, 3].map((page) => `/api/ai-feed/rent?city=recife&pageSize=2&page=${page}`),
      );
      expect(feed.cost.calls).to.equal(3);
      expect(feed.cost.tokens).to.be.greaterThan(3 * tokensOf(paths[0] as string));
    } finally {
      connection.close();
      server.close();
    }
  });

  it('differ if an id, the order of ids or a fact differs', () => {
    const answer = { ids: ['a', 'b'], facts: { total: 2 } };
    expect(difference(answer, structuredClone(answer))).to.equal(undefined);
    expect(difference({ ...answer, ids: ['b', 'a'] }, answer)).to.include('["b","a"]');
    expect(difference({ ...answer, facts: { total: 3 } }, answer)).to.include('"total":3');
  });
});
