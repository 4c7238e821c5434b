import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import {
  cancelledId,
  idInUse,
  MAX_MESSAGE_BYTES,
  messageTooLarge,
  type ReadMessage,
  readJsonRpc,
  requestId,
} from './json-rpc.ts';

type Id = string | number;

/** A batch whose responses are written together. */
interface Batch {
  /** Number of requests without a response. */
  waiting: number;
  responses: unknown[];
}

/**
 * MCP over lines of text, such as standard input and output. In addition to the SDK's transport, it answers
 * batches and lines that are not messages, and it accepts a byte-order mark. When the input ends, the
 * transport first waits for the responses to the requests that it has received.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #graceMs: number;
  readonly #ended = Promise.withResolvers<void>();
  /** The requests without a response, and the batch of each. */
  readonly #pending = new Map<Id, Batch | undefined>();
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  /** @param graceMs maximum time that requests get after the end of the input, in milliseconds */
  constructor(input: Readable, output: Writable, graceMs: number) {
    this.#input = input;
    this.#output = output;
    this.#graceMs = graceMs;
  }

  /** Resolves when the connection is closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async start(): Promise<void> {
    this.#output.once('error', (error) => {
      this.onerror?.(error);
      void this.close();
    });
    void this.#readLines();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = 'method' in message ? undefined : message.id;
    if (id === undefined) return this.#write(message);
    this.#respond(this.#pending.get(id), message);
    this.#settle(id);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.destroy();
    this.onclose?.();
    this.#ended.resolve();
  }

  async #readLines(): Promise<void> {
    try {
      for await (const line of linesOf(this.#input)) this.#receive(line);
      await this.#idle();
    } catch (error) {
      if (!this.#isClosed) this.onerror?.(error as Error);
    } finally {
      await this.close();
    }
  }

  #receive(line: string | undefined): void {
    if (line?.trim() === '') return;
    const received = line === undefined ? { error: messageTooLarge() } : readJsonRpc(line);
    if ('batch' in received) this.#receiveBatch(received.batch);
    else if ('error' in received) this.#write(received.error);
    else this.#deliver(received.message, undefined);
  }

  #receiveBatch(parts: ReadMessage[]): void {
    const responses = parts.flatMap((part) => ('error' in part ? [part.error] : []));
    const messages = parts.flatMap((part) => ('message' in part ? [part.message] : []));
    const waiting = messages.filter((message) => requestId(message) !== undefined).length;
    if (waiting === 0 && responses.length > 0) this.#write(responses);
    const batch = { waiting, responses };
    for (const message of messages) this.#deliver(message, batch);
  }

  #deliver(message: JSONRPCMessage, batch: Batch | undefined): void {
    const id = requestId(message);
    if (id !== undefined && this.#pending.has(id)) {
      this.#respond(batch, idInUse(id));
      return;
    }
    if (id !== undefined) this.#pending.set(id, batch);
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) this.#cancel(cancelled);
    this.onmessage?.(message);
  }

  /** A cancelled request has no response. MCP 2025-11-25, "Cancellation". */
  #cancel(id: Id): void {
    const batch = this.#pending.get(id);
    if (batch) this.#respond(batch, undefined);
    this.#settle(id);
  }

  #respond(batch: Batch | undefined, response: unknown): void {
    if (!batch) this.#write(response);
    else if (response !== undefined) batch.responses.push(response);
    if (batch && --batch.waiting === 0 && batch.responses.length > 0) this.#write(batch.responses);
  }

  #settle(id: Id): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#onIdle?.();
  }

  async #idle(): Promise<void> {
    if (this.#pending.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #write(value: unknown): void {
    if (!this.#isClosed) this.#output.write(`${JSON.stringify(value)}\n`);
  }
}

/** Yields each line of the input, or undefined for a line that is too long. */
async function* linesOf(input: Readable): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  const line = () => {
    const text = length > MAX_MESSAGE_BYTES ? undefined : Buffer.concat(pieces).toString();
    [pieces, length] = [[], 0];
    return text;
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      add(rest.subarray(0, end));
      yield line();
      rest = rest.subarray(end + 1);
    }
    add(rest);
  }
  if (length > 0) yield line();

  function add(piece: Buffer): void {
    length += piece.length;
    if (length <= MAX_MESSAGE_BYTES) pieces.push(piece);
    else pieces = [];
  }
}
