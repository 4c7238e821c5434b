import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Whether a service can do its work now; `reasons` says what is missing. */
export interface Readiness {
  ready: boolean;
  reasons: string[];
}

/** A prom-client registry, or several as one. */
export interface CollectedMetrics {
  contentType: string;
  metrics(): Promise<string>;
}

export interface AdminServer {
  port: number;
  close(): Promise<void>;
}

/**
 * Health and metrics on a port of their own: GET /health/live, /health/ready (503 with the reasons
 * while not ready), /metrics (Prometheus text).
 * @throws when the port is taken (EADDRINUSE).
 */
export async function startAdminServer(port: number, registry: CollectedMetrics, readiness: () => Readiness): Promise<AdminServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendJson(response, 405, { error: 'there are GET and HEAD' });
    const path = request.url?.split('?')[0];
    if (path === '/health/live') return sendJson(response, 200, { live: true });
    if (path === '/health/ready') {
      const state = readiness();
      return sendJson(response, state.ready ? 200 : 503, state);
    }
    if (path === '/metrics') {
      registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        () => sendJson(response, 500, { error: 'metrics could not be collected' }),
      );
      return;
    }
    sendJson(response, 404, { error: 'there are /health/live, /health/ready and /metrics' });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(`${JSON.stringify(body)}\n`);
}
