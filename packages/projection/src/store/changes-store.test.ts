import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { generationNames } from '@vitrine/feed-index';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { ChangesStore, type LiveMark } from './changes-store.ts';

const [old, live] = [generationNames('p', 1), generationNames('p', 2)];
const MARK: LiveMark = { generation: live, entry: 40 };

describe('a write of entries behind the mark of followers', () => {
  /** Writes an entry of generation 1. @returns the indices of the requests, in order */
  async function requestsOfWrite(...marks: (LiveMark | undefined)[]): Promise<string[]> {
    const requests: string[] = [];
    // An Elasticsearch with one entry in the live generation, below the mark.
    const server = createServer(async (incoming, outgoing) => {
      const body = await text(incoming);
      outgoing.setHeader('x-elastic-product', 'Elasticsearch');
      outgoing.setHeader('content-type', 'application/json');
      if (incoming.url?.includes('_bulk')) {
        const { index } = JSON.parse(body.split('\n')[0] ?? '') as { index: { _index: string } };
        requests.push(`write ${index._index}`);
        return outgoing.end(
          JSON.stringify({ errors: false, items: [{ index: { status: 200, _seq_no: 50 } }] }),
        );
      }
      requests.push(`read ${incoming.url?.split('/')[1]}`);
      return outgoing.end(JSON.stringify({ docs: [{ _id: 'a', found: true, _seq_no: 7, _version: 1 }] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createElasticsearch({ url, requestTimeout: 5_000, maxRetries: 0 });
    const store = new ChangesStore(client, old, { liveMark: async () => marks.shift() });
    await store.write([{ id: 'a', state: 'updated', revision: 1 }]);
    await client.close();
    server.close();
    return requests;
  }
  const own = `write ${old.changesWriter}`;
  const lift = [live.changes, live.changes, live.items].map((index) => `read ${index}`);

  it('lifts the live entry first', async () => {
    const requests = await requestsOfWrite(MARK, MARK);
    expect(requests.at(-1)).to.equal(own);
    expect(requests).to.include.members(lift);
  });

  it('lifts the live entry afterwards if the aliases moved meanwhile', async () => {
    const requests = await requestsOfWrite(undefined, MARK);
    expect(requests[0]).to.equal(own);
    expect(requests).to.include.members(lift);
    expect(requests.at(-1)).to.equal(`write ${live.changesWriter}`);
  });

  it('lifts nothing in a live generation', async () =>
    expect(await requestsOfWrite(undefined, undefined)).to.deep.equal([own]));
});
