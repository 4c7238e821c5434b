import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The step of the store loop to which a request belongs, or the kind of page that it reads. */
export type Step = 'read states' | 'write states' | 'write items' | 'read page' | 'other';

/** The action for a request. It is chosen before it is forwarded and again when its response has arrived. */
export type Verdict = 'pass' | 'cut';
export interface ProxiedRequest {
  method: string;
  /** Includes the query string. */
  path: string;
  body: Buffer;
}
type Hook = (step: Step, moment: 'before' | 'after', request: ProxiedRequest) => Promise<Verdict> | Verdict;

export interface FaultProxy {
  url: string;
  /** Replaces the handling of requests. Without a handler, all requests pass. */
  hook: Hook;
  close(): Promise<void>;
}

/**
 * An HTTP proxy in front of Elasticsearch that can delay, cut or lose any request or response of the store
 * loop.
 */
export async function startFaultProxy(elasticsearchUrl: string): Promise<FaultProxy> {
  const target = new URL(elasticsearchUrl);
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const step = stepOf(incoming.url ?? '', body);
    const request: ProxiedRequest = { method: incoming.method ?? '', path: incoming.url ?? '', body };
    if ((await proxy.hook(step, 'before', request)) === 'cut') return void incoming.socket.destroy();
    const forwarded = send(
      { host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      async (answer) => {
        const answered: Buffer[] = [];
        for await (const chunk of answer) answered.push(chunk as Buffer);
        if ((await proxy.hook(step, 'after', request)) === 'cut') return void incoming.socket.destroy();
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.end(Buffer.concat(answered));
      },
    );
    forwarded.on('error', () => incoming.socket.destroy());
    forwarded.end(body);
  });
  server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hook: () => 'pass',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

function stepOf(path: string, body: Buffer): Step {
  if (path.includes('/_mget')) return 'read states';
  if (path === '/_search' && body.includes('"_source"')) return 'read page';
  if (!path.startsWith('/_bulk')) return 'other';
  return body.subarray(0, body.indexOf('\n')).includes('-states-') ? 'write states' : 'write items';
}
