import { expect } from 'chai';
import { readJsonRpc } from './json-rpc.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const cancel = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const read = (value: unknown) => readJsonRpc(JSON.stringify(value));
const errorOf = (value: unknown) => {
  const received = read(value);
  return 'error' in received ? [received.error.error.code, received.error.id] : undefined;
};

describe('messages of JSON-RPC', () => {
  it('may begin with a byte-order mark', () => {
    expect(readJsonRpc(`\uFEFF${JSON.stringify(PING)}`)).to.deep.equal({ message: PING });
  });

  it('may have null in place of the arguments of a tool', () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_changes' } };
    const nulls = { ...call, params: { ...call.params, arguments: null } };
    expect(read(nulls)).to.deep.equal({ message: call });
  });

  it('have a parse error without an id if the text is not JSON', () => {
    for (const text of ['', '{', '\uFEFF', 'NaN', '{"id":1}{"id":2}', '\uFEFF\uFEFF{}']) {
      const received = readJsonRpc(text);
      expect('error' in received && received.error, text).to.deep.include({ jsonrpc: '2.0', id: null });
      expect('error' in received && received.error.error.code, text).to.equal(-32_700);
    }
  });

  it('are invalid with the id of the request, if it has one', () => {
    expect(errorOf({ id: 7, method: 'ping' })).to.deep.equal([-32_600, 7]);
    expect(errorOf({ jsonrpc: '2.0', id: 'a', method: 1 })).to.deep.equal([-32_600, 'a']);
    for (const value of [null, 1, 'x', {}, { ...PING, id: null }, { ...PING, id: {} }, []])
      expect(errorOf(value), JSON.stringify(value)).to.deep.equal([-32_600, null]);
  });

  it('can be in a batch of at most ten, in which each invalid part has its own error', () => {
    const batch = [PING, { id: 2 }, 3];
    const received = read(batch);
    if (!('batch' in received)) throw new Error('not a batch');
    expect(received.batch.map((part) => ('error' in part ? part.error.id : part.message))).to.deep.equal([
      PING,
      2,
      null,
    ]);
    expect(read(Array(10).fill(PING))).to.have.property('batch');
    expect(errorOf(Array(11).fill(PING))).to.deep.equal([-32_600, null]);
  });

  it('lose a cancellation of the same batch, because a cancelled request has no response', () => {
    expect(read([PING, cancel(1), cancel(2)])).to.deep.equal({
      batch: [{ message: PING }, { message: cancel(2) }],
    });
    expect(read([PING, cancel(undefined)]))
      .to.have.property('batch')
      .with.length(2);
    expect(read(cancel(1))).to.deep.equal({ message: cancel(1) });
  });

  it('G3: with a long name or URI is refused, because the SDK would repeat it', () => {
    for (const params of [{ name: 'x'.repeat(2_001) }, { uri: `feeds://${'ç'.repeat(1_000)}` }])
      expect(
        readJsonRpc(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })),
      ).to.deep.equal({
        error: {
          jsonrpc: '2.0',
          error: { code: -32_602, message: 'Invalid params: name and uri have at most 2000 bytes.' },
          id: 7,
        },
      });
    const params = { name: 'x'.repeat(2_000) };
    const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
    expect(readJsonRpc(JSON.stringify(message))).to.deep.equal({ message });
  });
});
