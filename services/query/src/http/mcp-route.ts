import type Router from '@koa/router';
import type { RouterContext } from '@koa/router';
import { MCP_LIMITS, type NewBudget } from '../budget/request-budget.ts';
import { type AllowedCallers, callerRefusal } from '../mcp/allowed-callers.ts';
import { MAX_MESSAGE_BYTES, readJsonRpc, serverError } from '../mcp/json-rpc.ts';
import { errorResponse, type McpEndpoint, shortRefusal } from '../mcp/mcp-endpoint.ts';
import type { AccountOf } from './limits/client-rate-limit.ts';
import { isJsonType, readBody } from './request-body.ts';
import {
  disconnection,
  type ErrorForm,
  POST_METHODS,
  type RequestState,
  respondToPostOptions,
} from './routes.ts';

export interface McpRouteOptions {
  /** For example `/mcp`. */
  path: string;
  /** The operation in metrics and traces. */
  operation: string;
  endpoint: McpEndpoint;
  callers: AllowedCallers;
  budgets: NewBudget;
  accountOf: AccountOf;
}

/** JSON-RPC 2.0 §5.1. */
const rpcErrorForm: ErrorForm = ({ message }) => ({
  contentType: 'application/json',
  body: JSON.stringify(serverError(message)),
});

/**
 * Adds an MCP endpoint, with and without a slash at the end of its path. It accepts POST, and returns 405 for
 * other methods. It disregards `Accept` (RFC 9110 §12.5.1), because it can respond only with JSON.
 */
export function addMcpRoute(
  router: Router<RequestState>,
  { path, operation, endpoint, callers, budgets, accountOf }: McpRouteOptions,
): void {
  const paths = [path, `${path}/`];
  router.options(paths, respondToPostOptions);
  router.all(paths, async (context) => {
    context.state.operation = operation;
    context.state.errorForm = rpcErrorForm;
    context.set('Cache-Control', 'no-store');
    const respond = (response: Response) => sendResponse(context, response);
    const refusal = callerRefusal(webRequest(context), callers);
    if (refusal) return respond(await shortRefusal(refusal));
    if (context.method !== 'POST') {
      context.set('Allow', POST_METHODS);
      return respond(errorResponse(serverError('Method not allowed. Send POST.'), 405));
    }
    if (!isJsonType(context.req.headers['content-type']))
      return respond(errorResponse(serverError('The content type must be application/json.'), 415));
    const body = await readBody(context.req, MAX_MESSAGE_BYTES);
    const received = readJsonRpc(body.toString());
    const account = accountOf(context.req);
    // The listener has already counted the request as one message.
    if ('batch' in received) account.charge(received.batch.length - 1);
    const budget = budgets(MCP_LIMITS, account.client);
    try {
      await respond(await endpoint(webRequest(context, body), received, budget));
    } finally {
      budget.close((cost) => account.settle(cost));
    }
  });
}

/** The headers that the SDK requires, although the service accepts all JSON and responds only with JSON. */
const SDK_HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Returns the request in the form that the SDK expects. Its signal aborts when the client disconnects. */
function webRequest(context: RouterContext<RequestState>, body?: Buffer): Request {
  const headers = new Headers();
  const given = { ...context.req.headers, ...SDK_HEADERS };
  for (const [name, value] of Object.entries(given)) if (typeof value === 'string') headers.set(name, value);
  headers.set('x-request-id', context.response.get('X-Request-Id'));
  return new Request(`http://localhost${context.path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    ...(body && { body: new Uint8Array(body), signal: disconnection(context) }),
  });
}

async function sendResponse(context: RouterContext<RequestState>, response: Response): Promise<void> {
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
}
