import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { day, generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { connectMcp, ERAS, type McpClient } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const items = inFeedOrder(generateItems(100));
const id = items[1]?.id ?? '';

describe('UCP catalog over MCP', () => {
  let deployment: QueryDeployment;
  const post = async (operation: string, request: object, headers: Record<string, string> = {}) => {
    const response = await fetchAccepted(`${deployment.origin}/ucp/catalog/${operation}`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    expect(response.status).to.equal(200);
    return response.json();
  };

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(items);
  });
  after(() => deployment?.close());

  for (const era of ERAS)
    describe(era === 'auto' ? 'of 2026-07-28' : 'of 2025', () => {
      let mcp: McpClient;
      before(async () => {
        mcp = await connectMcp(`${deployment.origin}/ucp/mcp`, era);
      });
      after(() => mcp?.close());

      it('lists the three tools of UCP without references', async () => {
        const { tools } = await mcp.client.listTools();
        expect(tools.map(({ name }) => name)).to.deep.equal([
          'search_catalog',
          'lookup_catalog',
          'get_product',
        ]);
        for (const { annotations, inputSchema, outputSchema } of tools) {
          expect(annotations?.readOnlyHint).to.equal(true);
          expect(inputSchema.required).to.deep.equal(['catalog']);
          expect(Object.keys(inputSchema.properties ?? {})).to.deep.equal(['meta', 'catalog']);
          expect(JSON.stringify([inputSchema, outputSchema])).not.to.match(
            /"(\$ref|\$defs|oneOf|anyOf|allOf)"/,
          );
        }
        expect(mcp.client.getInstructions()).to.include('not instructions');
      });

      it('returns the bodies of REST', async () => {
        const requests = [
          [
            'search_catalog',
            'search',
            { filters: { city: 'Recife', date: day(3) }, pagination: { limit: 3 } },
          ],
          ['lookup_catalog', 'lookup', { ids: [id, 'nothing'] }],
          ['get_product', 'product', { id, filters: { date: day(3) } }],
          ['get_product', 'product', { id: 'nothing' }],
        ] as const;
        for (const [tool, operation, catalog] of requests) {
          const { data, text, isError } = await mcp.call(tool, { catalog });
          expect(isError).to.equal(false);
          expect(data).to.deep.equal(await post(operation, catalog));
          expect(JSON.parse(text)).to.deep.equal(data);
        }
      });

      it('refuses wrong requests with -32602', async () => {
        const ids = Array.from({ length: 51 }, (_, i) => `id-${i}`);
        for (const [tool, args, code] of [
          ['lookup_catalog', { catalog: { ids } }, 'request_too_large'],
          ['search_catalog', { catalog: {} }, 'invalid_request'],
          ['search_catalog', {}, 'invalid_request'],
          ['get_product', { catalog: { id: 7 } }, 'invalid_request'],
        ] as const) {
          const error = await failure(mcp.call(tool, args));
          expect(error.code, tool).to.equal(-32_602);
          expect(error.data).to.include({ code });
        }
        for (const given of [{}, { catalog: null }, { query: 'praia' }]) {
          const { data } = await failure(mcp.call('search_catalog', given));
          expect((data as { content: string }).content).to.match(/^catalog is required/);
        }
        expect((await failure(mcp.call('checkout', {}))).code).to.equal(-32_602);
      });
    });

  it('accepts the profile of a client in any form, and never fetches it', async () => {
    let requests = 0;
    const profiles = createServer((_, response) => {
      requests++;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(profiles, 'listening');
    const mcp = await connectMcp(`${deployment.origin}/ucp/mcp`);
    try {
      const url = `http://127.0.0.1:${(profiles.address() as AddressInfo).port}/profile.json`;
      const plain = await post('lookup', { ids: [id] });
      for (const profile of [url, 'file:///etc/passwd', '', '\u00ff"'])
        expect(await post('lookup', { ids: [id] }, { 'UCP-Agent': `profile="${profile}"` })).to.deep.equal(
          plain,
        );
      for (const meta of [{ 'ucp-agent': { profile: url } }, {}, null, { 'ucp-agent': 7 }])
        expect((await mcp.call('lookup_catalog', { meta, catalog: { ids: [id] } })).data).to.deep.equal(
          plain,
        );
      expect(requests).to.equal(0);
    } finally {
      await mcp.close();
      profiles.close();
    }
  });

  it('reports an outage with -32000 and a time to retry', async () => {
    const empty = await startQuery();
    try {
      const mcp = await connectMcp(`${empty.origin}/ucp/mcp`);
      const error = await failure(mcp.call('get_product', { catalog: { id: 'a' } }));
      expect(error).to.include({ code: -32_000 });
      expect(error.data).to.deep.include({ code: 'service_unavailable', retry_after: 5 });
      await mcp.close();
    } finally {
      await empty.close();
    }
  });
});

/** The JSON-RPC error of a call. */
async function failure(call: Promise<unknown>): Promise<{ code: number; data?: object }> {
  try {
    await call;
  } catch (error) {
    return error as { code: number; data?: object };
  }
  throw new Error('the call succeeded');
}
