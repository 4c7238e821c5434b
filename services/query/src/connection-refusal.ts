import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ALLOWED_METHODS, MAX_TARGET_BYTES } from './operations.ts';
import { COMMON_HEADERS, PROBLEM_TYPE, Problem, uriTooLong } from './problem.ts';

/** Node's error about bytes that are no HTTP request; `rawPacket` is the last packet of them. */
export type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

export interface RefusalOptions {
  /** Milliseconds that a client has to read a refusal. Node drops its further bytes meanwhile. */
  lingerTimeout: number;
  /** The response to the last request that Node took from a connection, undefined before the first one. */
  newest: (socket: Socket) => ServerResponse | undefined;
  /**
   * Counts a refusal.
   * @param request undefined where Node could not read one
   * @returns the problem to answer with: `problem`, or 429
   */
  count: (problem: Problem, socket: Socket, request?: IncomingMessage) => Problem;
}

/**
 * Answers bytes that never become a request for the listener, and ends their connection. The answer follows those to
 * the requests before it, in the order of the requests (RFC 9112 §9.3.2).
 */
export class ConnectionRefusal {
  readonly #options: RefusalOptions;
  readonly #refused = new WeakSet<Socket>();

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  /** Bytes that are no HTTP request, or that took too long to become one. */
  refuseBytes(error: ClientError, socket: Socket): void {
    // Node reports each further packet of a connection that ends.
    if (this.#refused.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else this.#refuse(socket, clientProblem(error));
  }

  /** CONNECT: this server is no proxy. */
  refuseTunnel(request: IncomingMessage, socket: Socket): void {
    // Node has taken its own listener away.
    socket.on('error', () => socket.destroy()).resume();
    const problem = new Problem(405, `The methods are ${ALLOWED_METHODS}.`, { headers: { Allow: ALLOWED_METHODS } });
    this.#refuse(socket, problem, request);
  }

  #refuse(socket: Socket, problem: Problem, request?: IncomingMessage): void {
    this.#refused.add(socket);
    const refusal = rawResponse(this.#options.count(problem, socket, request));
    const before = this.#options.newest(socket);
    if (before === undefined) this.#end(socket, refusal);
    else if (before.req.complete) afterwards(before, () => this.#end(socket, refusal));
    // The bytes are the body of that request, which gets one response: this one, or its own where that has begun.
    else if (before.socket && !before.headersSent) this.#end(socket, refusal);
    else afterwards(before, () => this.#end(socket));
  }

  #end(socket: Socket, response = ''): void {
    if (!socket.writable) return void socket.destroy();
    socket.end(response);
    // An immediate close with unread bytes would reset the connection, and the client might lose the response.
    const late = setTimeout(() => socket.destroy(), this.#options.lingerTimeout);
    socket.once('close', () => clearTimeout(late));
  }
}

function afterwards(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}

function clientProblem({ code, rawPacket }: ClientError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW' && rawPacket && beginsWithLongTarget(rawPacket)) return uriTooLong();
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem(431, 'The request line and headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem(408, 'The request did not arrive in time.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Problem(413, 'The chunk extensions are too large.');
  return new Problem(400, 'This is not an HTTP request.');
}

/** Node counts request line and headers together. A packet with the beginning of the line shows which of them is too long. */
function beginsWithLongTarget(packet: Buffer): boolean {
  const [, target = ''] = /^[A-Z]+ ([^ \r\n]*)/.exec(packet.toString('latin1')) ?? [];
  return target.length > MAX_TARGET_BYTES;
}

function rawResponse({ status, headers, body }: Problem): string {
  const all = {
    ...COMMON_HEADERS,
    'Cache-Control': 'no-store',
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
