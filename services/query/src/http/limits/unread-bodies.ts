import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Limits the total size of the bodies that clients have not read yet. A body that several responses share
 * counts once. Above the limit, the service aborts the oldest responses to the client with the most unread
 * bytes, so one client cannot disconnect the others. Most clients read a body within moments. Source:
 * docs/decisions/0025-bounded-pages.md.
 */
export class UnreadBodies {
  readonly #maxBytes: number;
  readonly #onDisconnect: () => void;
  readonly #clientOf: (request: IncomingMessage) => string;
  readonly #bodies = new Map<ServerResponse, { body: Buffer; client: string; charged: number }>();
  /**
   * The responses of each client, oldest first, and the bytes that count toward the client. A shared body
   * counts toward only one client that holds it, because cutting the other responses frees nothing.
   */
  readonly #clients = new Map<string, { responses: Set<ServerResponse>; bytes: number }>();
  readonly #readers = new Map<Buffer, Set<ServerResponse>>();
  /** Bodies whose charge ended with a cut. Another client takes the charge when no more cuts are needed. */
  readonly #unowned = new Set<Buffer>();
  #bytes = 0;

  /**
   * @param onDisconnect called for each response that the limit aborts
   * @param clientOf returns the client that sent a request, as the rate limit sees it
   */
  constructor(maxBytes: number, onDisconnect: () => void, clientOf: (request: IncomingMessage) => string) {
    this.#maxBytes = maxBytes;
    this.#onDisconnect = onDisconnect;
    this.#clientOf = clientOf;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts `body` until `response` is closed. A response that Node has already passed to the operating system
   * does not count. Neither does the response to a HEAD request, because it has no body.
   */
  add(body: Buffer, response: ServerResponse): void {
    if (response.destroyed || (response.writableEnded && response.socket?.writableLength === 0)) return;
    if (response.req.method === 'HEAD') return;
    const client = this.#clientOf(response.req);
    const readers = this.#readers.get(body) ?? new Set();
    const charged = readers.size === 0 ? body.length : 0;
    this.#bodies.set(response, { body, client, charged });
    const unread = this.#clients.get(client) ?? { responses: new Set<ServerResponse>(), bytes: 0 };
    unread.responses.add(response);
    unread.bytes += charged;
    this.#clients.set(client, unread);
    this.#readers.set(body, readers.add(response));
    this.#bytes += charged;
    response.once('close', () => this.#remove(response));
    while (this.#bytes > this.#maxBytes) {
      const slowest = this.#oldestOfLargestClient(response);
      if (!slowest) break;
      this.#remove(slowest, true);
      this.#onDisconnect();
      slowest.destroy();
    }
    for (const unowned of this.#unowned)
      this.#charge(unowned, this.#readers.get(unowned)?.values().next().value);
    this.#unowned.clear();
  }

  #charge(body: Buffer, reader: ServerResponse | undefined): void {
    const heir = reader && this.#bodies.get(reader);
    if (!heir) return;
    heir.charged = body.length;
    const owner = this.#clients.get(heir.client);
    if (owner) owner.bytes += body.length;
  }

  /**
   * Returns the oldest response, apart from `newest`, to the client with the most unread bytes. One client can
   * have many thousands of responses, so the method compares clients, not responses.
   */
  #oldestOfLargestClient(newest: ServerResponse): ServerResponse | undefined {
    let [found, most]: [ServerResponse | undefined, number] = [undefined, -1];
    for (const { responses, bytes } of this.#clients.values()) {
      if (bytes <= most) continue;
      const oldest = responses.values().find((response) => response !== newest);
      if (oldest) [found, most] = [oldest, bytes];
    }
    return found;
  }

  /** @param isCut whether the limit closes the response, rather than its client */
  #remove(response: ServerResponse, isCut = false): void {
    const { body, client = '', charged = 0 } = this.#bodies.get(response) ?? {};
    if (!body || !this.#bodies.delete(response)) return;
    const unread = this.#clients.get(client);
    if (unread) {
      unread.bytes -= charged;
      unread.responses.delete(response);
      if (unread.responses.size === 0) this.#clients.delete(client);
    }
    const readers = this.#readers.get(body);
    readers?.delete(response);
    if (!readers?.size) {
      this.#readers.delete(body);
      this.#bytes -= body.length;
    } else if (charged > 0) {
      // Otherwise, a client could close one of its two responses and keep the body without a charge. While the
      // limit cuts responses, no other client takes the charge, because the limit would then cut all readers.
      const next = readers.values().find((each) => !isCut || this.#bodies.get(each)?.client === client);
      if (next) this.#charge(body, next);
      else this.#unowned.add(body);
    }
  }
}
