import type { ServerResponse } from 'node:http';

/**
 * The bodies that clients have not read yet, bounded by bytes. A body that several responses share counts once. Beyond
 * the bound, the oldest responses are cut off: a client that reads keeps its body for a moment only, so the oldest are
 * those of the slowest readers. Source: docs/decisions/0025-bounded-pages.md.
 */
export class UnreadBodies {
  readonly #maxBytes: number;
  readonly #onCut: () => void;
  /** In order of arrival. */
  readonly #bodies = new Map<ServerResponse, Buffer>();
  readonly #readers = new Map<Buffer, number>();
  #bytes = 0;

  constructor(maxBytes: number, onCut: () => void) {
    this.#maxBytes = maxBytes;
    this.#onCut = onCut;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts `body` until `response` is closed. A response that the operating system has taken over counts nothing. */
  add(body: Buffer, response: ServerResponse): void {
    if (response.destroyed || (response.writableEnded && response.socket?.writableLength === 0)) return;
    this.#bodies.set(response, body);
    const readers = this.#readers.get(body) ?? 0;
    this.#readers.set(body, readers + 1);
    if (readers === 0) this.#bytes += body.length;
    response.once('close', () => this.#remove(response));
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === response) return;
      this.#remove(oldest);
      this.#onCut();
      oldest.destroy();
    }
  }

  #remove(response: ServerResponse): void {
    const body = this.#bodies.get(response);
    if (!body || !this.#bodies.delete(response)) return;
    const readers = (this.#readers.get(body) ?? 0) - 1;
    if (readers > 0) this.#readers.set(body, readers);
    else {
      this.#readers.delete(body);
      this.#bytes -= body.length;
    }
  }
}
