import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { refresh } from './index-requests.ts';
import { snapshotPages } from './snapshot-pages.ts';
import { countStates } from './state-scan.ts';

/** A test cannot make Elasticsearch fail the refresh of one shard, so this server replaces Elasticsearch. */
describe('a refresh that fails on a shard', () => {
  let server: Server;
  let client: Client;
  let failed: number;
  const others: string[] = [];

  before(async () => {
    server = createServer((request, response) => {
      if (!request.url?.endsWith('/_refresh')) others.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
      response.end(JSON.stringify({ _shards: { total: 2, successful: 2 - failed, failed } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new Client({ node: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  beforeEach(() => {
    failed = 1;
    others.length = 0;
  });
  after(async () => {
    await client.close();
    server.close();
  });

  const messageOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  const TROUBLE = 'ElasticsearchUnavailableError: could not refresh 1 of 2 shards of states';

  it('throws an ElasticsearchUnavailableError', async () => {
    expect(await messageOf(refresh(client, 'states'))).to.equal(TROUBLE);
    failed = 0;
    expect(await messageOf(refresh(client, 'states'))).to.equal('none');
  });

  it('prevents a scan, which would miss documents', async () => {
    const scan = snapshotPages(
      client,
      { index: 'states', sort: [{ id: 'asc' }] },
      new AbortController().signal,
    );
    expect(await messageOf(scan.next())).to.equal(TROUBLE);
    expect(await messageOf(countStates(client, 'states'))).to.equal(TROUBLE);
    expect(others).to.deep.equal([]);
  });
});
