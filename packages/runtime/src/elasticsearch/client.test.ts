import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { errors } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { pino } from 'pino';
import { createElasticsearch, type ElasticsearchConnection } from './client.ts';

describe('the Elasticsearch client', () => {
  let server: Server;
  let heard: (string | undefined)[];
  before(async () => {
    server = createServer((request, response) => {
      heard.push(request.headers.authorization);
      response.writeHead(401, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
      response.end('{"error":{"type":"security_exception","reason":"who are you?"},"status":401}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    heard = [];
  });
  after(() => server.close());

  const refusal = async (
    connection: Omit<ElasticsearchConnection, 'url'>,
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ) => {
    const client = createElasticsearch({ url, ...connection, requestTimeout: 2_000, maxRetries: 0 });
    const error = await client.get({ index: 'x', id: '1' }).then(
      () => expect.fail('was answered'),
      (error: unknown) => error,
    );
    await client.close();
    return error;
  };
  const secret = 'hunter2';
  const connections: [string, Omit<ElasticsearchConnection, 'url'>, string][] = [
    [
      'a password',
      { auth: { username: 'me', password: secret } },
      `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`,
    ],
    ['an API key', { auth: { apiKey: secret } }, `ApiKey ${secret}`],
  ];

  for (const [what, connection, header] of connections) {
    it(`sends ${what}`, async () => {
      await refusal(connection);
      expect(heard).to.deep.equal([header]);
    });
    it(`logs refused and failed connections without ${what}`, async () => {
      let logged = '';
      const keep = new Writable({
        write(chunk, _, done) {
          logged += chunk;
          done();
        },
      });
      const log = pino({}, keep);
      const errors = [await refusal(connection), await refusal(connection, 'http://127.0.0.1:9')];
      for (const error of errors) log.error({ err: error, nested: { error } }, String(error));
      expect(logged.match(/"stack"/g), logged).to.have.length(2);
      for (const shown of [secret, header, header.split(' ')[1] as string])
        expect(logged).to.not.include(shown);
    });
  }

  it('does not copy the body of a failed request into its error', async () => {
    const client = createElasticsearch({ url: 'http://127.0.0.1:9', requestTimeout: 2_000, maxRetries: 0 });
    const bulkBody = Buffer.from('{"delete":{"_id":"1"}}\n');
    const error = await client.transport.request({ method: 'POST', path: '/_bulk', bulkBody }).then(
      () => expect.fail('was answered'),
      (error: unknown) => error as errors.ConnectionError,
    );
    await client.close();
    expect(error).to.be.instanceOf(errors.ConnectionError);
    expect(error.meta?.meta.request.params.body).to.equal(bulkBody);
  });
});
