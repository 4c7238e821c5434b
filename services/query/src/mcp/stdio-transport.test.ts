import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect } from 'chai';
import { MAX_MESSAGE_BYTES } from './json-rpc.ts';
import { StdioTransport } from './stdio-transport.ts';

const request = (id: number | string, method = 'ping') => ({ jsonrpc: '2.0', id, method });
const cancel = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;

/** Sends the input in the given pieces. @returns the values that the transport wrote, in order */
async function answersTo(pieces: readonly (string | Buffer)[], graceMs = 10_000): Promise<unknown[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new StdioTransport(input, output, graceMs);
  const received: JSONRPCMessage[] = [];
  transport.onmessage = (message) => {
    received.push(message);
    if (!('method' in message && 'id' in message) || message.method === 'never') return;
    const { id } = message;
    setImmediate(() => void transport.send({ jsonrpc: '2.0', id, result: {} }));
  };
  await transport.start();
  for (const piece of pieces) input.write(piece);
  input.end();
  await transport.ended;
  output.end();
  return (await text(output))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}
const result = (id: number | string) => ({ jsonrpc: '2.0', id, result: {} });
const codesOf = (answers: unknown[]) =>
  answers.map((answer) => {
    const { id, error } = answer as { id: unknown; error?: { code: number } };
    return [id, error?.code];
  });

describe('MCP over standard input and output', () => {
  it('answers every request that it received before the end of the input', async () => {
    expect(await answersTo([lineOf(request(1)), JSON.stringify(request('b'))])).to.deep.equal([
      result(1),
      result('b'),
    ]);
  });

  it('accepts a byte-order mark, CRLF, empty lines and a message in pieces', async () => {
    const line = Buffer.from(`\uFEFF${JSON.stringify(request('ç'))}\r\n\r\n  \n`);
    const cut = line.indexOf(0xc3) + 1;
    expect(await answersTo([line.subarray(0, cut), line.subarray(cut)])).to.deep.equal([result('ç')]);
  });

  it('answers what is not a message, and continues', async () => {
    const long = 'x'.repeat(MAX_MESSAGE_BYTES + 1);
    const answers = await answersTo(['{"a\n', '[]\n', lineOf({ id: 4 }), `${long}\n`, lineOf(request(5))]);
    expect(codesOf(answers)).to.deep.equal([
      [null, -32_700],
      [null, -32_600],
      [4, -32_600],
      [null, -32_600],
      [5, undefined],
    ]);
  });

  it('answers a batch in one line, even if a part is invalid or cancels another', async () => {
    expect(await answersTo([lineOf([request(1), cancel(1), request(2)])])).to.deep.equal([
      [result(1), result(2)],
    ]);
    const [mixed, ...others] = await answersTo([lineOf([request(1), 7])]);
    expect([codesOf(mixed as unknown[]), others]).to.deep.equal([
      [
        [null, -32_600],
        [1, undefined],
      ],
      [],
    ]);
    expect(await answersTo([lineOf([cancel(9)])])).to.deep.equal([]);
  });

  it('answers the rest of a batch if a later message cancels a part', async () => {
    expect(await answersTo([lineOf([request(1, 'never'), request(2)]), lineOf(cancel(1))])).to.deep.equal([
      [result(2)],
    ]);
  });

  it('refuses the id of a request that is still running', async () => {
    const [batch] = await answersTo([lineOf([request(1), request(1)])]);
    expect(codesOf(batch as unknown[])).to.deep.equal([
      [1, -32_600],
      [1, undefined],
    ]);
  });

  it('ends after a time limit if a request has no response', async () => {
    expect(await answersTo([lineOf(request(1, 'never'))], 1)).to.deep.equal([]);
  });
});
