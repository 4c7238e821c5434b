import {
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { clipped } from '../agents/answer-text.ts';
import type { RequestBudget } from '../budget/request-budget.ts';
import { type ReadMessage, type Received, type RpcError, requestId } from './json-rpc.ts';
import type { McpServerBuilder } from './mcp-server.ts';

/**
 * Handles the content of one HTTP request to an MCP endpoint.
 * @param budget the budget of the request, which all messages in a batch share
 */
export type McpEndpoint = (request: Request, received: Received, budget: RequestBudget) => Promise<Response>;

/**
 * Creates a stateless Streamable HTTP endpoint. It always responds with JSON, because no tool sends a message
 * before its result. It serves clients of MCP 2026-07-28, and clients of earlier revisions, which begin with
 * `initialize`. Every request receives a response. The parts of a batch share only the budget.
 * @param build creates a server for one message
 * @param onError receives the SDK's errors
 */
export function createMcpEndpoint(build: McpServerBuilder, onError: (error: Error) => void): McpEndpoint {
  const modern = (budget: RequestBudget) =>
    createMcpHandler(() => build(() => budget), { legacy: 'reject', onerror: onError });
  const respond = async (request: Request, message: JSONRPCMessage, budget: RequestBudget) => {
    if (!(await isLegacyRequest(request, message)))
      return withoutNotifications(
        await shortRefusal(await modern(budget).fetch(request, { parsedBody: message })),
      );
    const server = build(() => budget);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await withId(
        await shortRefusal(await transport.handleRequest(request, { parsedBody: message })),
        message,
      );
    } finally {
      await server.close();
    }
  };
  return async (request, received, budget) => {
    if ('error' in received) return errorResponse(received.error);
    if ('message' in received) return respond(request, received.message, budget);
    const messages = received.batch.flatMap((part) => ('message' in part ? [part.message] : []));
    // Revision 2026-07-28 has no batches, so the SDK's refusal of the whole batch is the response.
    if (messages.length > 0 && !(await isLegacyRequest(request, messages)))
      return shortRefusal(await modern(budget).fetch(request, { parsedBody: messages }));
    const part = async (one: ReadMessage): Promise<unknown> => {
      if ('error' in one) return one.error;
      const response = await respond(request, one.message, budget);
      // A notification has no response in a batch, not even an error. JSON-RPC 2.0 §6.
      return requestId(one.message) === undefined ? undefined : response.json();
    };
    const responses = (await Promise.all(received.batch.map(part))).filter((one) => one !== undefined);
    return responses.length === 0 ? new Response(null, { status: 202 }) : Response.json(responses);
  };
}

/** Creates the response to a message that could not be read. */
export const errorResponse = (error: RpcError, status = 400): Response => Response.json(error, { status });

/** Longer refusals are cut. Every byte could be a token. */
const MAX_REFUSAL_BYTES = 2_000;
const MAX_REFUSAL_CHARACTERS = 500;

/**
 * Shortens a refusal that repeats what it refuses. The SDK repeats a message's revision twice, and also
 * repeats header fields (docs/decisions/0087-one-budget-per-request.md).
 * @returns the same response if it is short or is not a refusal
 */
export async function shortRefusal(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text();
  const { status, headers } = response;
  if (Buffer.byteLength(text) <= MAX_REFUSAL_BYTES) return new Response(text, { status, headers });
  const { error, id } = JSON.parse(text) as RpcError;
  const message = clipped(error.message, MAX_REFUSAL_CHARACTERS);
  return Response.json({ jsonrpc: '2.0', error: { code: error.code, message }, id }, { status });
}

/**
 * Adds the request's id to an error that has none, because a client that matches responses by id would
 * wait forever.
 */
async function withId(response: Response, message: JSONRPCMessage): Promise<Response> {
  const id = requestId(message);
  if (response.ok || id === undefined) return response;
  const { error } = (await response.json()) as RpcError;
  return Response.json({ jsonrpc: '2.0', error, id }, { status: response.status });
}

/**
 * Ends the stream of a subscription after its first event, the acknowledgement. This server's lists never
 * change, so a subscription would only keep a connection open.
 */
function withoutNotifications(response: Response): Response {
  const { body, headers, status } = response;
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const end = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, stream) {
      stream.enqueue(chunk);
      if (Buffer.from(chunk).includes('\n\n')) stream.terminate();
    },
  });
  return new Response(body.pipeThrough(end), { status, headers });
}
