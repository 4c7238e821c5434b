import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  /** Status line and headers. */
  head: string;
  /** As it was sent: where the answer came in chunks, with their sizes between. */
  body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/**
 * One kept-alive HTTP/1.1 connection to a port of 127.0.0.1, one request at a time. It is used for all
 * contenders alike, and does little, so that it is they who are measured: a client library takes longer
 * for a request than a bare server does.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  #early: Buffer | undefined;
  #answer: Answer | undefined;
  #chunks: Buffer[] = [];
  #missing = 0;

  /** Connects with the first request, and again where the server ends a connection after so many requests. */
  constructor(port: number) {
    this.#port = port;
  }

  /** Sends the bytes of a request (see `get` and `post`). @throws when the connection breaks, or the answer has no end. */
  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket ??= this.#connected();
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket?.destroy();
  }

  #connected(): Socket {
    const socket = connect(this.#port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => {
      if (this.#socket === socket) this.#fail(new Error('the connection was closed'));
    });
    return socket;
  }

  #read(chunk: Buffer): void {
    if (this.#answer) {
      this.#readBody(chunk);
      return;
    }
    const bytes = this.#early ? Buffer.concat([this.#early, chunk]) : chunk;
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.#early = bytes;
      return;
    }
    this.#early = undefined;
    const head = bytes.toString('latin1', 0, end);
    const status = Number(head.slice(9, 12));
    const length = status === 304 ? 0 : lengthOf(head);
    if (Number.isNaN(length)) {
      this.#fail(new Error(`an answer without a length:\n${head}`));
      return;
    }
    this.#answer = { status, head, body: bytes.subarray(0, 0) };
    this.#missing = length;
    this.#readBody(bytes.subarray(end + HEAD_END.length));
  }

  #readBody(chunk: Buffer): void {
    this.#missing -= chunk.length;
    this.#chunks.push(chunk);
    if (this.#missing > 0 && !(this.#missing === Number.POSITIVE_INFINITY && this.#endsInLastChunk())) return;
    const answer = this.#answer as Answer;
    answer.body = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#answer = undefined;
    this.#chunks = [];
    if (answer.head.includes('onnection: close')) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }

  #endsInLastChunk(): boolean {
    const bytes = Buffer.concat(this.#chunks.slice(-LAST_CHUNK.length));
    return bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** The length of a body in bytes; infinite where it comes in chunks. */
function lengthOf(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? Number.POSITIVE_INFINITY : Number.NaN;
}

/** The bytes of a GET. */
export function get(target: string, headers: Readonly<Record<string, string>> = {}): Buffer {
  return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines(headers)}\r\n`);
}

/** The bytes of a POST of JSON. */
export function post(target: string, body: object): Buffer {
  const json = JSON.stringify(body);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(json)) };
  return Buffer.from(`POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines(headers)}\r\n${json}`);
}

const lines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
