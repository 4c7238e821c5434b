import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';

/**
 * Maximum size of the input that a client sends at once: the body of a request, or a line of standard input.
 */
export const MAX_MESSAGE_BYTES = 64 * 1024;
/** Revision 2025-03-26 allows several messages in one body. Each of them counts against the rate limit. */
const MAX_BATCH_MESSAGES = 10;

/**
 * The SDK repeats an unknown name or URI up to twice in its error. The error must not exceed the token
 * limit of an answer (docs/decisions/0087-one-budget-per-request.md). A listing's URI has at most 1,552
 * bytes.
 */
const MAX_NAME_BYTES = 2_000;

/** An error response. JSON-RPC 2.0 §5: `id` is null if the id of the request cannot be read. */
export interface RpcError {
  jsonrpc: '2.0';
  error: { code: number; message: string };
  id: string | number | null;
}

/** A message, or the error response to text that is not a message. */
export type ReadMessage = { message: JSONRPCMessage } | { error: RpcError };

/** The input that a client sent at once: one message, or a batch (JSON-RPC 2.0 §6). */
export type Received = ReadMessage | { batch: ReadMessage[] };

const rpcError = (code: number, message: string, id: RpcError['id'] = null): RpcError => ({
  jsonrpc: '2.0',
  error: { code, message },
  id,
});

const [SERVER_ERROR, PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS] = [-32_000, -32_700, -32_600, -32_602];

export const serverError = (message: string): RpcError => rpcError(SERVER_ERROR, message);
export const messageTooLarge = (): RpcError =>
  rpcError(INVALID_REQUEST, `A message has at most ${MAX_MESSAGE_BYTES} bytes.`);
export const idInUse = (id: string | number): RpcError =>
  rpcError(INVALID_REQUEST, 'Another request with this id is still running.', id);

/** Reads the text that a client sent at once. It may begin with a byte-order mark (RFC 8259 §8.1). */
export function readJsonRpc(text: string): Received {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { error: rpcError(PARSE_ERROR, 'Parse error: the message is not JSON.') };
  }
  if (!Array.isArray(value)) return readMessage(value);
  if (value.length === 0) return { error: rpcError(INVALID_REQUEST, 'A batch has at least one message.') };
  if (value.length > MAX_BATCH_MESSAGES)
    return { error: rpcError(INVALID_REQUEST, `A batch has at most ${MAX_BATCH_MESSAGES} messages.`) };
  return { batch: withoutOwnCancellations(value.map(readMessage)) };
}

function readMessage(value: unknown): ReadMessage {
  try {
    const message = withoutNullArguments(parseJSONRPCMessage(value));
    const { name, uri } = ('method' in message ? (message.params ?? {}) : {}) as Record<string, unknown>;
    if (![name, uri].some(isTooLong)) return { message };
    const detail = `Invalid params: name and uri have at most ${MAX_NAME_BYTES} bytes.`;
    return { error: rpcError(INVALID_PARAMS, detail, idOf(value)) };
  } catch {
    const message = 'Invalid request: the value is not a JSON-RPC 2.0 message.';
    return { error: rpcError(INVALID_REQUEST, message, idOf(value)) };
  }
}

const isTooLong = (name: unknown): boolean =>
  typeof name === 'string' && Buffer.byteLength(name) > MAX_NAME_BYTES;

/** Many clients send null for the arguments of a tool without arguments. The SDK would refuse null. */
function withoutNullArguments(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message) || message.params?.['arguments'] !== null) return message;
  const { arguments: _, ...params } = message.params;
  return { ...message, params };
}

function idOf(value: unknown): RpcError['id'] {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : null;
}

/**
 * Removes the notifications that cancel a request in the same batch. A cancelled request has no response, but
 * the client waits for the batch's response.
 */
function withoutOwnCancellations(batch: ReadMessage[]): ReadMessage[] {
  const ids = new Set(batch.map((part) => ('message' in part ? requestId(part.message) : undefined)));
  return batch.filter((part) => {
    const cancelled = 'message' in part ? cancelledId(part.message) : undefined;
    return cancelled === undefined || !ids.has(cancelled);
  });
}

/** Returns the id of a request, or undefined for any other message. */
export const requestId = (message: JSONRPCMessage): string | number | undefined =>
  'method' in message && 'id' in message ? message.id : undefined;

/** Returns the id of the request that a notification cancels, or undefined for any other message. */
export const cancelledId = (message: JSONRPCMessage): string | number | undefined =>
  'method' in message && message.method === 'notifications/cancelled'
    ? (message.params?.['requestId'] as string | number | undefined)
    : undefined;
