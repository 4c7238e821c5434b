import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_URL_BYTES } from '../../contract/operations.ts';
import { methodNotAllowed, Problem, problemResponse, uriTooLong } from '../../contract/problem.ts';

/**
 * The error in Node's `clientError` event, which reports a malformed, oversized or late request. `rawPacket`
 * is the last received packet.
 */
export type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

export interface RefusalOptions {
  /**
   * How long a client has to read a refusal, in milliseconds. Meanwhile, Node drops further bytes from the
   * client.
   */
  lingerTimeout: number;
  /** Returns the response to a connection's latest request, or undefined before the first request. */
  latestResponse: (socket: Socket) => ServerResponse | undefined;
  /** The result of `problemPages`. */
  problemPages: string;
  /**
   * Counts a refusal.
   * @param request undefined if Node could not parse one
   * @returns the problem to send: `problem`, or 429
   */
  count: (problem: Problem, socket: Socket, request?: IncomingMessage) => Problem;
}

/**
 * Refuses bytes that the listener never receives as a request, and closes the connection. The refusal follows
 * the responses to all earlier requests on the connection (RFC 9112 §9.3.2).
 */
export class ConnectionRefusal {
  readonly #options: RefusalOptions;
  readonly #refused = new WeakSet<Socket>();

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  /** Refuses bytes that are not an HTTP request, or a request that did not arrive in time. */
  refuseBytes(error: ClientError, socket: Socket): void {
    // Node emits another clientError for each packet that arrives while the connection closes.
    if (this.#refused.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else this.#refuse(socket, clientProblem(error));
  }

  /** Refuses CONNECT, because this server is not a proxy. */
  refuseTunnel(request: IncomingMessage, socket: Socket): void {
    // Node removes its own error listener from the socket of a CONNECT request.
    socket.on('error', () => socket.destroy()).resume();
    this.#refuse(socket, methodNotAllowed(), request);
  }

  #refuse(socket: Socket, problem: Problem, request?: IncomingMessage): void {
    this.#refused.add(socket);
    const { count, problemPages } = this.#options;
    const refusal = rawResponse(count(problem, socket, request), problemPages);
    const before = this.#options.latestResponse(socket);
    if (before === undefined) this.#end(socket, refusal);
    else if (before.req.complete) onceClosed(before, () => this.#end(socket, refusal));
    // The bytes belong to the body of the latest request. If its response has not begun, the refusal replaces
    // it.
    else if (before.socket && !before.headersSent) this.#end(socket, refusal);
    else onceClosed(before, () => this.#end(socket));
  }

  #end(socket: Socket, response = ''): void {
    if (!socket.writable) return void socket.destroy();
    socket.end(response);
    // Closing a connection with unread bytes would reset it, and the client could lose the response.
    const late = setTimeout(() => socket.destroy(), this.#options.lingerTimeout);
    socket.once('close', () => clearTimeout(late));
  }
}

function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}

function clientProblem({ code, rawPacket }: ClientError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW' && rawPacket && beginsWithLongTarget(rawPacket)) return uriTooLong();
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem('headers-too-large', 'The request line and headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request-timeout', 'The request did not arrive in time.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Problem('content-too-large', 'The chunk extensions are too large.');
  return new Problem('malformed-request', 'This is not an HTTP request.');
}

/**
 * Returns whether the request target is too long. Node has one limit for the request line and the headers
 * together. If the packet begins with the request line, the length of that line shows which part is too long.
 */
function beginsWithLongTarget(packet: Buffer): boolean {
  const [, url = ''] = /^[A-Z]+ ([^ \r\n]*)/.exec(packet.toString('latin1')) ?? [];
  return url.length > MAX_URL_BYTES;
}

function rawResponse(problem: Problem, pages: string): string {
  const { status } = problem;
  const { headers, body } = problemResponse(problem, pages, { Connection: 'close' });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
