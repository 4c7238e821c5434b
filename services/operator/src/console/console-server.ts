import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { closeGracefully, TrackedResponses } from '@vitrine/runtime/service';
import { PAGE_HEADERS, pageShell, readWebFiles, type WebFiles } from '@vitrine/web';
import { type ErrorOutput, jsonError } from '../exit-code.ts';
import { type ApiResponse, answerAction, answerRead, type ConsoleParts } from './console-api.ts';
import { type ConsoleAddress, originOf } from './console-options.ts';
import { refusalOf } from './request-guard.ts';

export interface ConsoleServer {
  /** The address with the port on which it listens, such as `http://127.0.0.1:8090`. */
  origin: string;
  close(): Promise<void>;
}

export interface ServerOptions extends ConsoleParts {
  address: ConsoleAddress;
  /** The token of this start, or undefined if the console only reads. */
  token: string | undefined;
  /** Receives an unexpected error in a request. */
  onError(error: unknown): void;
}

const MAX_BODY_BYTES = 16_384;
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 };
const CLOSE_LIMITS = { lateRequests: 1_000, all: 2_000 };
const MAX_CONNECTIONS = 100;
/** A client that does not read its response loses its connection after this time. */
const DELIVERY_TIMEOUT_MS = 60_000;
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Serves the page, its files and the API. @throws Error if the port is in use or the pages are not built
 */
export async function startConsoleServer(options: ServerOptions): Promise<ConsoleServer> {
  const { address, onError } = options;
  const files = new Map([...readWebFiles()].filter(([source]) => source.startsWith('console.')));
  const page = pageOf(files);
  let port = address.port;
  const busy = new WeakSet<Socket>();
  const server = createServer(LIMITS, (request, response) => {
    const { socket } = request;
    // No browser sends a request before it has read the last response. A client that did so would fill the
    // memory.
    if (busy.has(socket)) return void socket.destroy();
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
    answer(request, response, { ...options, files, page, port }).catch((error: unknown) => {
      onError(error);
      if (!response.headersSent)
        sendJson(response, {
          status: 500,
          body: jsonError({ kind: 'failed', message: 'the console failed' }),
        });
      else response.destroy();
    });
  });
  const open = new TrackedResponses(server);
  server.maxConnections = MAX_CONNECTIONS;
  // Without these handlers, Node would close the connection without a response.
  server.on('connect', (_request, socket) => void socket.destroy());
  server.on('upgrade', (_request, socket) => void socket.destroy());
  await listen(server, address);
  port = (server.address() as AddressInfo).port;
  return {
    origin: originOf(address.host, port),
    close: () => closeGracefully(server, open, CLOSE_LIMITS),
  };
}

function listen(server: Server, { host, port }: ConsoleAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${port} of ${host} is in use by another process. Use --port with another port`)
          : error,
      );
    server.once('error', refuse).listen({ host, port, exclusive: true }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

const pageOf = (files: WebFiles): string =>
  pageShell({
    title: 'Vitrine console',
    description: 'Generations, lag, rebuilds, listings and dead letters of this deployment.',
    scripts: [`/assets/${files.get('console.js')?.name}`],
    styles: [`/assets/${files.get('console.css')?.name}`],
    withoutScripts:
      '<h1>Vitrine console</h1><p>The console needs JavaScript. The command line shows the same: <code>npm run cli -- status</code></p>',
  });

interface Answering extends ServerOptions {
  files: WebFiles;
  page: string;
  port: number;
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: Answering): Promise<void> {
  const { address, token, files, page, port } = parts;
  const { method = '', headers } = request;
  const url = URL.parse(request.url ?? '', 'http://console');
  const path = url?.pathname ?? '';
  const refusal =
    url?.host && request.url?.startsWith('/')
      ? refusalOf({ method, path, headers }, { port, isPublic: address.isPublic, token })
      : ({ status: 400, message: 'the request must name a path' } as const);
  if (method === 'POST') {
    const answered = refusal ? failed(refusal.status, refusal.message) : await actionOf(request, path, parts);
    if (answered.status >= 400)
      parts.audit({ address: clientOf(request), event: 'refused', outcome: messageOf(answered) });
    // The body of a refused request is not read.
    if (refusal) response.setHeader('Connection', 'close');
    return sendJson(response, answered);
  }
  if (refusal || !url) {
    response.setHeader('Connection', 'close');
    return sendJson(response, failed(refusal?.status ?? 400, refusal?.message ?? ''));
  }
  if (path.startsWith('/api/')) {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    return sendJson(response, await answerRead(parts, url, gone.signal));
  }
  if (path === '/') return send(response, 200, 'text/html; charset=utf-8', 'no-cache', page);
  const file = [...files.values()].find(({ name }) => path === `/assets/${name}`);
  if (!file) return send(response, 404, 'text/plain; charset=utf-8', 'no-store', 'Not found\n');
  send(response, 200, file.contentType, FOREVER, file.content);
}

async function actionOf(request: IncomingMessage, path: string, parts: ConsoleParts): Promise<ApiResponse> {
  if (Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) > MAX_BODY_BYTES)
    return failed(413, `the body must state its length, at most ${MAX_BODY_BYTES} bytes`);
  let body: unknown;
  try {
    body = await readJson(request);
  } catch {
    return failed(400, 'the body is not JSON');
  }
  return answerAction(parts, path, body, clientOf(request));
}

const clientOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? 'unknown';

const failed = (status: number, message: string): ApiResponse => ({
  status,
  body: jsonError({ kind: status === 400 ? 'usage' : 'refused', message }),
});

const messageOf = ({ body }: ApiResponse): string => (JSON.parse(body) as ErrorOutput).error.message;

const sendJson = (response: ServerResponse, { status, body }: ApiResponse): void =>
  send(response, status, 'application/json; charset=utf-8', 'no-store', body);

function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  cacheControl: string,
  body: string | Buffer,
): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    ...PAGE_HEADERS,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': cacheControl,
  });
  const late = setTimeout(() => response.destroy(), DELIVERY_TIMEOUT_MS).unref();
  response.once('close', () => clearTimeout(late));
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
