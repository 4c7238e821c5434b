import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import { MCP_LIMITS, type NewBudget } from '../budget/request-budget.ts';
import { type AllowedCallers, callerRefusal } from '../mcp/allowed-callers.ts';
import type { McpEndpoint } from '../mcp/mcp-endpoint.ts';
import { readBody } from './request-body.ts';
import { disconnection, type RequestState } from './routes.ts';
import type { UnreadBodies } from './unread-bodies.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** Revision 2025-03-26 allows several messages in one body, which counts once against the rate limit. */
const MAX_MESSAGES = 10;
const METHODS = 'POST, OPTIONS';

export interface McpRouteOptions {
  /** For example `/mcp`. */
  path: string;
  /** The operation in metrics and traces. */
  operation: string;
  endpoint: McpEndpoint;
  callers: AllowedCallers;
  unread: UnreadBodies;
  budgets: NewBudget;
}

/** Adds an MCP endpoint. It accepts POST, and answers other methods with 405. */
export function addMcpRoute(
  router: Router<RequestState>,
  { path, operation, endpoint, callers, unread, budgets }: McpRouteOptions,
): void {
  router.options(path, (context) => {
    context.status = 204;
    context.set({
      Allow: METHODS,
      'Access-Control-Allow-Methods': METHODS,
      // A header field of its own may need its name here, because `*` never covers Authorization.
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Max-Age': '86400',
    });
  });
  router.all(path, async (context) => {
    context.state.operation = operation;
    context.set('Cache-Control', 'no-store');
    const respond = (response: Response) => sendResponse(context, response, unread);
    const refusal = callerRefusal(webRequest(context), callers);
    if (refusal) return respond(refusal);
    if (context.method !== 'POST') {
      context.set('Allow', METHODS);
      return respond(rpcError(405, -32_000, 'Method not allowed. Send POST.'));
    }
    const body = await readBody(context.req, MAX_BODY_BYTES);
    const message = parsed(body);
    if (message === undefined) return respond(rpcError(400, -32_700, 'Parse error: the body is not JSON.'));
    if (Array.isArray(message) && message.length > MAX_MESSAGES)
      return respond(rpcError(400, -32_600, `A batch has at most ${MAX_MESSAGES} messages.`));
    const budget = budgets(MCP_LIMITS);
    try {
      await respond(await endpoint(webRequest(context, body), message, budget));
    } finally {
      budget.close();
    }
  });
}

/** The request as the SDK expects it. Its signal aborts when the client disconnects. */
function webRequest(context: RouterContext<RequestState>, body?: Buffer): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(context.req.headers))
    if (typeof value === 'string') headers.set(name, value);
  headers.set('x-request-id', context.response.get('X-Request-Id'));
  return new Request(`http://localhost${context.path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    ...(body && { body: new Uint8Array(body), signal: disconnection(context) }),
  });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** An error of JSON-RPC 2.0 §5.1 that belongs to no message. */
const rpcError = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

async function sendResponse(
  context: RouterContext<RequestState>,
  response: Response,
  unread: UnreadBodies,
): Promise<void> {
  context.status = response.status;
  response.headers.forEach((value, name) => {
    context.set(name, value);
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (body.length === 0) {
    // Koa would send the status text instead of nothing, for example for an accepted notification.
    context.body = null;
    context.status = response.status;
    return;
  }
  context.body = body;
  unread.add(body, context.res);
}
