import { Agent, get } from 'node:http';
import type { BenchContext } from './bench-context.ts';
import type { Subject } from './subjects.ts';

/** Reads over one connection and counts the bytes that the service sends. */
export class CountingReader {
  bytes = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  constructor(context: BenchContext, { port }: Subject) {
    this.#port = port;
    context.onEnd(() => this.#agent.destroy());
  }

  /** Reads a page. The body is empty if `etag` is the page's tag. */
  read(path: string, etag?: string): Promise<{ body: string; etag: string | undefined }> {
    const headers = etag === undefined ? {} : { 'if-none-match': etag };
    const { promise, resolve, reject } = Promise.withResolvers<{ body: string; etag: string | undefined }>();
    get({ host: '127.0.0.1', port: this.#port, path, headers, agent: this.#agent }, (response) => {
      const { socket } = response;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject).once('end', () => {
        const known = COUNTED.get(socket) ?? 0;
        COUNTED.set(socket, socket.bytesRead);
        this.bytes += socket.bytesRead - known;
        if (response.statusCode !== 200 && response.statusCode !== 304)
          return reject(new Error(`${path}: status ${response.statusCode}`));
        resolve({ body: Buffer.concat(chunks).toString(), etag: response.headers.etag });
      });
    }).once('error', reject);
    return promise;
  }
}

/** The number of bytes that are already counted for each connection. */
const COUNTED = new WeakMap<object, number>();
