import { connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { closedLoop, quantile } from '../support/http-load.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { eventually, memoryOf } from '../support/service-process.ts';

const SLOW = 300;
const READERS = 100;
const FLOODS = 20;
/** The service disconnects a slow reader after 30 s. */
const MAY_BE_SLOW_MS = 28_000;

describe('query service: slow and greedy clients', () => {
  let query: QueryProcess;
  const sockets: Socket[] = [];
  const open = (): Socket => {
    const socket = connect(query.port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };

  before(async () => {
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    query = await startQueryProcess(generateItems(2_000), { ELASTICSEARCH_URL, FEED_TODAY: TODAY });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await query?.close();
  });

  it('are disconnected, while other clients are served and memory stays bounded', async () => {
    const pid = query.process.child.pid ?? 0;
    let isOver = false;
    const load = closedLoop(
      query.origin,
      4,
      () => '/api/ai-feed',
      () => isOver,
    );
    await pass(1_000);
    const before = memoryOf(pid);

    // Slowloris: clients whose headers never end.
    const refused: string[] = [];
    const loris = Array.from({ length: SLOW }, () => {
      const socket = open();
      socket.write('GET /api/ai-feed HTTP/1.1\r\nHost: x\r\n');
      socket.on('data', (chunk) => refused.push(chunk.toString()));
      return socket;
    });
    const drip = setInterval(
      () => loris.forEach((socket) => void (socket.writable && socket.write('X-A: b\r\n'))),
      1_000,
    );
    const readersAt = performance.now();
    // Clients that request large pages but do not read them. Each client has fewer requests in flight than
    // the limit of 64.
    for (let i = 0; i < READERS; i++) {
      const socket = open();
      socket.pause();
      socket.write('GET /api/ai-feed?pageSize=100 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20));
    }
    // Clients with huge headers, and clients that send floods of requests without waiting for responses.
    for (let i = 0; i < FLOODS; i++) {
      open().write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(1_000_000)}`);
      open().write(`GET /api/ai-feed?lat=1&lng=${i} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(10_000));
    }
    await pass(13_500);
    clearInterval(drip);
    const cut = () => query.metric('turned_away_total', 'slow');
    const early = await cut();
    if (performance.now() - readersAt < MAY_BE_SLOW_MS)
      expect(early, 'slow readers that were disconnected too early').to.equal(0);
    await eventually(
      'the service disconnects every slow reader',
      async () => (await cut()) >= READERS,
      120_000,
      500,
    );
    isOver = true;
    const samples = await load;
    const memory = memoryOf(pid);
    const p99 = quantile(
      samples.map(({ ms }) => ms),
      0.99,
    );
    process.stderr.write(
      `# ${samples.length} requests of others, p99 ${p99.toFixed(0)} ms; memory ${before.toFixed(0)} to ` +
        `${memory.toFixed(0)} MB\n`,
    );
    expect(new Set(samples.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(p99).to.be.below(1_000);
    expect(memory).to.be.below(400);
    expect(refused).to.have.lengthOf(SLOW);
    expect(refused.every((text) => text.startsWith('HTTP/1.1 408 '))).to.equal(true);
    expect(await query.metric('turned_away_total', 'pipelining')).to.be.at.least(FLOODS);
  }).timeout(300_000);
});
