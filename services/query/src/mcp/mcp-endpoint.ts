import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { RequestBudget } from '../budget/request-budget.ts';
import type { McpServerBuilder } from './mcp-server.ts';

/**
 * Handles one HTTP request of MCP.
 * @param body the parsed JSON body
 * @param budget of the request, which all messages of a batch share
 */
export type McpEndpoint = (request: Request, body: unknown, budget: RequestBudget) => Promise<Response>;

/**
 * Creates a stateless Streamable HTTP endpoint. It always responds with JSON, because no tool sends a message
 * before its result. It serves clients of MCP
 * 2026-07-28, and clients of the 2025 revisions, which begin with `initialize`.
 * @param build creates a server for one request
 * @param onError receives the errors of the SDK
 */
export function createMcpEndpoint(build: McpServerBuilder, onError: (error: Error) => void): McpEndpoint {
  return async (request, parsedBody, budget) => {
    const create = () => build(() => budget);
    if (!(await isLegacyRequest(request, parsedBody))) {
      const modern = createMcpHandler(create, { legacy: 'reject', onerror: onError });
      return withoutNotifications(await modern.fetch(request, { parsedBody }));
    }
    const server = create();
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  };
}

/**
 * Ends the stream of a subscription after its first event, the acknowledgement. The lists of this server never
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
