import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { breakOff } from '@vitrine/runtime/service';
import { expect } from 'chai';
import { encodeStream } from '../response/content-encoding.ts';
import { ClientStalled, exportOutcome, sendStream } from './send-export.ts';

const PIECE = Buffer.alloc(64 * 1024, 'x');
const PACE = { stallMs: 5_000, minBytes: 0 };

/**
 * Sends one request, whose response `listener` writes. It reads the response only if `reads` is true.
 * @returns the raw response
 */
async function exchange(listener: RequestListener, reads = true): Promise<{ text: string; error?: Error }> {
  const server = createServer(listener).listen(0);
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received: Buffer[] = [];
  let error: Error | undefined;
  socket.on('error', (reason) => {
    error = reason;
  });
  if (reads) socket.on('data', (piece) => received.push(piece));
  else socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(server, 'request');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (!reads) await new Promise((resolve) => server.once('broken', resolve)).then(() => socket.resume());
  await closed;
  server.close();
  return { text: Buffer.concat(received).toString(), ...(error && { error }) };
}

async function* pieces(count: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i++) yield PIECE;
}

describe('sending an export', () => {
  const { signal } = new AbortController();

  it('ends a complete transfer', async () => {
    const { text, error } = await exchange((_, response) => {
      void sendStream(response, pieces(2), PACE, signal);
    });
    expect(text.endsWith('0\r\n\r\n')).to.equal(true);
    expect(error).to.equal(undefined);
  });

  for (const encoding of [undefined, 'gzip', 'br', 'zstd'] as const)
    it(`breaks a failed transfer off with a reset (${encoding ?? 'plain'})`, async () => {
      const { text, error } = await exchange((_, response) => {
        const failing = (async function* () {
          yield* pieces(1);
          throw new Error('fails');
        })();
        response.flushHeaders();
        sendStream(response, encodeStream(failing, encoding), PACE, signal).catch(() => breakOff(response));
      });
      expect(text.endsWith('0\r\n\r\n')).to.equal(false);
      expect((error as NodeJS.ErrnoException | undefined)?.code).to.equal('ECONNRESET');
    });

  it('disconnects a client that reads nothing, and holds only one piece for it', async () => {
    const failed = Promise.withResolvers<unknown>();
    let held = 0;
    await exchange(function (this: NodeJS.EventEmitter, _, response) {
      sendStream(response, pieces(Number.POSITIVE_INFINITY), { stallMs: 100, minBytes: 0 }, signal).catch(
        (error: unknown) => {
          held = response.writableLength;
          breakOff(response);
          failed.resolve(error);
          this.emit('broken');
        },
      );
    }, false);
    expect(await failed.promise).to.be.instanceOf(ClientStalled);
    expect(held).to.be.at.most(2 * PIECE.length);
  });

  it('disconnects a client that reads nothing after the last piece', async () => {
    // The response accepts everything, and never finishes.
    const response = Object.assign(new EventEmitter(), { write: () => true, end: () => undefined });
    const sent = sendStream(
      response as unknown as ServerResponse,
      pieces(1),
      { stallMs: 5, minBytes: 0 },
      signal,
    );
    expect(await sent.catch((error: unknown) => error)).to.be.instanceOf(ClientStalled);
  });

  /** A response whose client takes `waitMs` for each piece. */
  const slowResponse = (waitMs: number) => {
    const response = Object.assign(new EventEmitter(), {
      write: () => {
        setTimeout(() => response.emit('drain'), waitMs);
        return false;
      },
      end: () => setImmediate(() => response.emit('finish')),
    });
    return response as unknown as ServerResponse;
  };

  it('G4: disconnects a client that takes each piece in time, but reads below the minimum pace', async () => {
    const pace = { stallMs: 300, minBytes: 1_000 * PIECE.length };
    const sent = sendStream(slowResponse(20), pieces(1_000), pace, signal);
    expect(await sent.catch((error: unknown) => error)).to.be.instanceOf(ClientStalled);
  });

  it('G4: waits for a slow client above the minimum pace, and for slow content', async () => {
    const slowly = (async function* () {
      for await (const piece of pieces(6)) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield piece;
      }
    })();
    await sendStream(slowResponse(5), slowly, { stallMs: 10_000, minBytes: Number.MAX_VALUE }, signal);
    await sendStream(slowResponse(60), pieces(20), { stallMs: 1_000, minBytes: PIECE.length }, signal);
  });

  it('is a failure unless the client or the service ended it', () => {
    const [running, aborted, error] = [signal, AbortSignal.abort(), new Error('fails')];
    expect(exportOutcome(new ClientStalled(), running, running)).to.equal('stalled');
    expect(exportOutcome(error, aborted, aborted)).to.equal('disconnected');
    expect(exportOutcome(error, running, aborted)).to.equal('stopped');
    expect(exportOutcome(error, running, running)).to.equal('failed');
  });
});
