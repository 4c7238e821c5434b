import { McpServer } from '@modelcontextprotocol/server';
import { expect } from 'chai';
import { MCP_LIMITS, RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import { readJsonRpc } from './json-rpc.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';

const META = 'io.modelcontextprotocol';
const endpoint = createMcpEndpoint(
  () => new McpServer({ name: 'test', version: '1' }),
  () => undefined,
);
const refusal = async (given: Record<string, string>, params: object) => {
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...given,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params });
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
  const budget = new RequestBudget(MCP_LIMITS, new SharedMemory(1_000_000));
  const response = await endpoint(request, readJsonRpc(body), budget);
  const text = await response.text();
  expect(response.status, text.slice(0, 200)).to.equal(400);
  expect(JSON.parse(text)).to.have.property('id', 7);
  return text;
};

describe('the MCP endpoint', () => {
  it('G3: repeats no long revision in its refusal, because the SDK repeated one of 60 KB twice', async () => {
    const long = '9 '.repeat(30_000);
    const params = (revision: string) => ({
      _meta: {
        [`${META}/protocolVersion`]: revision,
        [`${META}/clientInfo`]: { name: 'a', version: '1' },
        [`${META}/clientCapabilities`]: {},
      },
    });
    expect((await refusal({}, params(long))).length).to.be.below(1_000);
    expect(await refusal({}, params('9'))).to.include('"requested":"9"');
    const header = 'v'.repeat(10_000);
    expect((await refusal({ 'mcp-protocol-version': header }, {})).length).to.be.below(1_000);
  });
});
