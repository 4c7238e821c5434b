import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeGracefully, TrackedResponses } from './graceful-close.ts';

/** Whether a service can do its work now. If not, `reasons` lists the unmet conditions. */
export interface Readiness {
  ready: boolean;
  reasons: string[];
}

/** A prom-client registry, or the combination of several registries. */
interface CollectedMetrics {
  contentType: string;
  metrics(): Promise<string>;
}

export interface AdminServer {
  port: number;
  close(): Promise<void>;
}

const ALLOWED_METHODS = 'GET, HEAD';
/** The time limits for the headers and for the whole request, in milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 15_000 };
const CLOSE_LIMITS = { lateRequests: 1_000, all: 2_000 };

/**
 * Serves health and metrics on a separate port: GET /health/live, GET /health/ready (503 with the reasons if
 * the service is not ready) and GET /metrics (in Prometheus's text format).
 * @throws EADDRINUSE if the port is in use
 */
export async function startAdminServer(
  port: number,
  registry: CollectedMetrics,
  readiness: () => Readiness,
): Promise<AdminServer> {
  const server = createServer(LIMITS, (request, response) => {
    answer(request, response, registry, readiness).catch(() => {
      if (!response.headersSent)
        sendJson(response, 500, { error: 'the service could not collect its health or metrics' });
    });
  });
  const open = new TrackedResponses(server);
  // Without this handler, Node would close the connection without a response.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(
      `HTTP/1.1 405 Method Not Allowed\r\nAllow: ${ALLOWED_METHODS}\r\n` +
        'Content-Length: 0\r\nConnection: close\r\n\r\n',
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => closeGracefully(server, open, CLOSE_LIMITS),
  };
}

async function answer(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  registry: CollectedMetrics,
  readiness: () => Readiness,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', ALLOWED_METHODS);
    return sendJson(response, 405, { error: `the allowed methods are ${ALLOWED_METHODS}` });
  }
  switch (url.split('?', 1)[0]) {
    case '/health/live':
      return sendJson(response, 200, { live: true });
    case '/health/ready': {
      const state = readiness();
      return sendJson(response, state.ready ? 200 : 503, state);
    }
    case '/metrics': {
      const text = await registry.metrics();
      response
        .writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' })
        .end(text);
      return;
    }
    default:
      sendJson(response, 404, { error: 'the available paths are /health/live, /health/ready and /metrics' });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(`${JSON.stringify(body)}\n`);
}
