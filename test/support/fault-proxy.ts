import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The step of the store loop to which a request belongs, or the kind of page that the request reads. */
export type Step = 'read states' | 'write states' | 'write items' | 'write entries' | 'read page' | 'other';

/**
 * The action for a request. A test chooses it before the proxy forwards the request, and again when the
 * response has arrived. `answer` replaces the body of the response. With `refuse`, the proxy responds with
 * this status and an HTML page like nginx's, and forwards nothing.
 */
export type Verdict = 'pass' | 'cut' | { answer: Buffer } | { refuse: number };
export interface ProxiedRequest {
  method: string;
  /** The path, including the query string. */
  path: string;
  body: Buffer;
  /** The response body, once it has arrived. */
  answer?: Buffer;
}
type Hook = (step: Step, moment: 'before' | 'after', request: ProxiedRequest) => Promise<Verdict> | Verdict;

/** `refuse` closes every connection. `silent` accepts requests and never responds. */
type Mode = 'open' | 'refuse' | 'silent';

export interface FaultProxy {
  url: string;
  /** The request handler. By default, all requests pass. */
  hook: Hook;
  become(mode: Mode): void;
  /** Closes the port. The system then refuses connections, as if no process listened. */
  leave(): Promise<void>;
  /** Listens on the same port again. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/**
 * An HTTP proxy in front of Elasticsearch. The proxy can delay, cut or lose any request or response, and can
 * refuse or ignore all requests. It does not affect other tests. If a client disconnects during a request,
 * the proxy ends the request in Elasticsearch too.
 */
export async function startFaultProxy(elasticsearchUrl: string): Promise<FaultProxy> {
  const target = new URL(elasticsearchUrl);
  let mode: Mode = 'open';
  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming);
    if (body === undefined) return void incoming.socket.destroy();
    if (mode === 'silent') return;
    const step = stepOf(incoming.url ?? '', body);
    const request: ProxiedRequest = { method: incoming.method ?? '', path: incoming.url ?? '', body };
    const first = await proxy.hook(step, 'before', request);
    if (first === 'cut') return void incoming.socket.destroy();
    if (typeof first === 'object' && 'refuse' in first) {
      outgoing.writeHead(first.refuse, { 'content-type': 'text/html' });
      return void outgoing.end(
        `<html>\r\n<head><title>${first.refuse} Refused by the proxy</title></head></html>`,
      );
    }
    const forwarded = send(
      {
        // A request over a connection that Elasticsearch has just closed would fail without a fault in the
        // test.
        agent: false,
        host: target.hostname,
        port: target.port,
        path: incoming.url,
        method: incoming.method,
        headers: incoming.headers,
      },
      async (answer) => {
        const received = await bodyOf(answer);
        if (received === undefined) return void incoming.socket.destroy();
        const verdict = await proxy.hook(step, 'after', { ...request, answer: received });
        if (verdict === 'cut') return void incoming.socket.destroy();
        if (mode === 'silent') return;
        const { 'content-length': length, ...headers } = answer.headers;
        const sent = typeof verdict === 'object' && 'answer' in verdict ? verdict.answer : received;
        outgoing.writeHead(answer.statusCode ?? 502, {
          ...headers,
          ...(length !== undefined && { 'content-length': String(sent.length) }),
        });
        outgoing.end(sent);
      },
    );
    forwarded.on('error', () => incoming.socket.destroy());
    // The proxy forwards a request even if its client has already left, as a slow network would.
    outgoing.once('close', () => forwarded.destroy());
    forwarded.end(body);
  });
  server.on('clientError', (_, socket) => socket.destroy());
  server.on('connection', (socket) => mode === 'refuse' && socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closePort = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${port}`,
    hook: () => 'pass',
    become(next) {
      mode = next;
      if (next !== 'silent') server.closeAllConnections();
    },
    leave: closePort,
    async comeBack() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: closePort,
  };
  return proxy;
}

/** Reads a whole message. Returns undefined if its sender or its receiver left before its end. */
async function bodyOf(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

function stepOf(path: string, body: Buffer): Step {
  if (path.includes('/_mget')) return path.includes('-states-') ? 'read states' : 'other';
  if (path === '/_search' && body.includes('"_source"')) return 'read page';
  if (!path.startsWith('/_bulk')) return 'other';
  const action = body.subarray(0, body.indexOf('\n'));
  if (action.includes('-states-')) return 'write states';
  return action.includes('-changes-') ? 'write entries' : 'write items';
}
