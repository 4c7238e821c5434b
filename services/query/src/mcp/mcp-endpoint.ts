import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { McpServerBuilder } from './mcp-server.ts';

/** Handles one HTTP request of MCP. @param body the parsed JSON body */
export type McpEndpoint = (request: Request, body: unknown) => Promise<Response>;

/**
 * Creates a stateless Streamable HTTP endpoint. It always responds with JSON, because no tool sends a message
 * before its result. It serves clients of MCP
 * 2026-07-28, and clients of the 2025 revisions, which begin with `initialize`.
 * @param build creates a server for one request
 * @param onError receives the errors of the SDK
 */
export function createMcpEndpoint(build: McpServerBuilder, onError: (error: Error) => void): McpEndpoint {
  const modern = createMcpHandler(build, {
    legacy: 'reject',
    // A subscription would keep a connection open, and nothing here ever notifies.
    maxSubscriptions: 0,
    onerror: onError,
  });
  return async (request, parsedBody) => {
    if (!(await isLegacyRequest(request, parsedBody))) return modern.fetch(request, { parsedBody });
    const server = build();
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  };
}
