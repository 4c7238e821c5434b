import { connect } from 'node:net';
import { generateItems, Random, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { type HostileHeader, hostileHeaders, RUNS } from '../support/raw-requests.ts';
import { startCollector } from '../support/trace-collector.ts';

const REQUESTS = 2_000;
/** Maximum time until a response, in milliseconds. */
const BOUND_MS = 500;
/** A request counts as blocking the service if it gets no response for this long. */
const GIVE_UP_MS = 8_000;
/** A hostile value is slow at every attempt. A busy machine is slow only at some attempts. */
const ATTEMPTS = 3;

const TARGETS = [
  '/api/public-feed',
  '/api/ai-feed/rent?pageSize=3&city=recife',
  '/api/docs',
  '/api/openapi.json',
  '/api/nowhere',
];
const READINESS = '/health/ready';
const ADMIN_TARGETS = ['/health/live', READINESS, '/metrics', '/nowhere'];
const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST'];

describe('query service: hostile headers', () => {
  let query: QueryProcess;
  let close: () => Promise<void>;

  before(async () => {
    // A rate limit, a trusted proxy and tracing make the service read every header that it can evaluate.
    const collector = await startCollector();
    const env = {
      FEED_TODAY: TODAY,
      RATE_LIMIT: '900000000',
      TRUSTED_PROXIES: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    };
    query = await startQueryProcess(generateItems(50), env);
    close = async () => {
      await query.close();
      await collector.close();
    };
  });
  after(() => close?.());

  it(`responds to ${REQUESTS} hostile headers with a status below 500, each within ${BOUND_MS} ms`, async () => {
    const seed = Number(process.env.VITRINE_SEED ?? Date.now() % 2 ** 31);
    console.log(`      VITRINE_SEED=${seed}`);
    const adminPort = Number(new URL(query.admin).port);
    const statuses = new Map<number, number>();
    const ask = async (port: number, method: string, path: string, header: HostileHeader) => {
      const status = await answerTo(
        port,
        requestOf(method, path, header),
        `${method} ${path} with ${header.name}`,
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    for (const header of RUNS) await ask(query.port, 'GET', '/api/public-feed', header);
    const random = new Random(seed);
    const pick = (values: readonly string[]) =>
      values[Math.floor(random.fraction() * values.length)] as string;
    for (const header of hostileHeaders(seed, REQUESTS - RUNS.length)) {
      if (random.fraction() < 0.3) await ask(adminPort, pick(METHODS), pick(ADMIN_TARGETS), header);
      else await ask(query.port, pick(METHODS), pick(TARGETS), header);
    }
    // The values reach both Node's parser and the service.
    expect([...statuses.keys()]).to.include.members([200, 204, 400, 404, 405, 431]);
    expect(statuses.get(200)).to.be.above(REQUESTS / 4);
    expect((await fetchAccepted(`${query.origin}/api/public-feed`)).status).to.equal(200);
    expect(query.process.child.exitCode).to.equal(null);
    expect(query.process.log()).not.to.match(/uncaught|"level":"fatal"/);
  });
});

function requestOf(method: string, path: string, { name, values }: HostileHeader): Buffer {
  const usual = ['Host', 'Connection'].filter((other) => other !== name);
  const lines = usual.map((other) => `${other}: ${other === 'Host' ? 'localhost' : 'close'}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}`),
    ...values.flatMap((value) => [Buffer.from(`${name}: `), value, Buffer.from('\r\n')]),
    Buffer.from('\r\n'),
  ]);
}

/**
 * Returns the status of the response to `bytes`. Fails if there is no response, if every attempt takes too
 * long, or if the status is a 5xx, except the 503 of a service that is not ready.
 */
async function answerTo(port: number, bytes: Buffer, what: string): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const start = performance.now();
    const status = await statusOf(port, bytes);
    times.push(performance.now() - start);
    const shown = `${what}: ${JSON.stringify(bytes.subarray(0, 300).toString('latin1'))}`;
    expect(status, `no response within ${GIVE_UP_MS} ms to ${shown}`).to.be.a('number');
    // On a busy machine, a search that tests the readiness may fail.
    if (status !== 503 || !what.includes(READINESS)) expect(status, shown).to.be.within(200, 499);
    if ((times.at(-1) ?? 0) <= BOUND_MS) return status as number;
  }
  throw new Error(
    `${what} took ${times.map((ms) => ms.toFixed(0)).join(', ')} ms: ` +
      `${JSON.stringify(bytes.subarray(0, 300).toString('latin1'))}`,
  );
}

const INTERIM = /^HTTP\/1\.1 1\d\d [\s\S]*?\r\n\r\n/;
const HEAD = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/;

/**
 * Sends the bytes unchanged.
 * @returns the status of the first final response; undefined if none arrives in time
 */
function statusOf(port: number, bytes: Buffer): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  let received = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  const end = () => {
    const status = HEAD.exec(received.replace(INTERIM, ''))?.[1];
    resolve(status === undefined ? undefined : Number(status));
    socket.destroy();
  };
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    if (HEAD.test(received.replace(INTERIM, ''))) end();
  });
  socket.on('error', () => undefined).on('close', end);
  socket.setTimeout(GIVE_UP_MS, end);
  return promise;
}
