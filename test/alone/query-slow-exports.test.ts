import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { closedLoop, secondsFromNow } from '../support/http-load.ts';
import { becomesReady } from '../support/query-service.ts';
import {
  addressesOf,
  eventually,
  metricOf,
  peakMemoryOf,
  type QueryAddresses,
  type ServiceProcess,
  startService,
} from '../support/service-process.ts';

const SECONDS = process.env.VITRINE_FULL === '1' ? 120 : 15;
const BYTES_PER_SECOND = 200_000;
const EVENTS_PER_SECOND = 500;
const TICK_MS = 100;
/** The buffers of two connections hold up to 20 MB, so an export must be larger to be slow. */
const LISTINGS = process.env.VITRINE_FULL === '1' ? 20_000 : 8_000;
const DATES = 100;
const LIMIT_MB = 400;

/** Reads an export at 200 KB/s until `isOver`. @param client the client's address */
async function readSlowly(
  origin: string,
  client: string,
  isOver: () => boolean,
): Promise<{ status: number; bytes: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${origin}/api/export`, { headers: { 'X-Forwarded-For': client } }, resolve).once('error', reject);
  const response = await promise;
  const start = performance.now();
  let bytes = 0;
  for (; !isOver(); await pass(50)) {
    const due = ((performance.now() - start) / 1_000) * BYTES_PER_SECOND - bytes;
    const piece = response.read(
      Math.max(1, Math.min(Math.floor(due), response.readableLength)),
    ) as Buffer | null;
    bytes += piece?.length ?? 0;
  }
  response.destroy();
  return { status: response.statusCode ?? 0, bytes };
}

describe('query service: exports to slow clients', () => {
  const market = new MarketEvents();
  let deployment: Deployment;
  let projector: ServiceProcess;
  let query: ServiceProcess;
  let addresses: QueryAddresses;

  before(async () => {
    deployment = await createDeployment('slow-exports', 2);
    projector = startService('projector', deployment.env);
    for (let from = 0; from < LISTINGS; from += 1_000)
      await deployment.publish(Array.from({ length: 1_000 }, (_, i) => market.snapshot(from + i, DATES)));
    await deployment.caughtUp();
    query = startService('query', {
      ...deployment.env,
      LOG_LEVEL: 'info',
      RATE_LIMIT: 'off',
      TRUSTED_PROXIES: '1',
    });
    addresses = await addressesOf(query);
    await becomesReady(addresses.admin);
  });
  after(async () => {
    await query?.end('SIGKILL');
    await projector?.end('SIGKILL');
    await deployment.close();
  });

  it('need bounded memory, and delay neither other clients nor the projector beyond recovery', async () => {
    const { origin, admin } = addresses;
    const isOver = secondsFromNow(SECONDS);
    let number = 0;
    const publish = async () => {
      while (!isOver()) {
        const tick = pass(TICK_MS);
        const events = Array.from({ length: (EVENTS_PER_SECOND * TICK_MS) / 1_000 }, () =>
          market.changed((number++ * 127) % LISTINGS, { price: 50 + (number % 900) }),
        );
        await deployment.publish(events);
        await tick;
      }
    };
    const inTheMiddle = async () => {
      await eventually('two exports run', async () => (await metricOf(admin, 'exports_running')) === 2);
      expect((await fetch(`${origin}/api/export`)).status, 'a third export').to.equal(503);
    };
    const [first, second, samples] = await Promise.all([
      readSlowly(origin, '192.0.2.1', isOver),
      readSlowly(origin, '192.0.2.2', isOver),
      closedLoop(origin, 2, () => `/api/ai-feed?page=${1 + (number % 50)}`, isOver),
      publish(),
      inTheMiddle(),
    ]);
    const memory = peakMemoryOf(query.child.pid);
    process.stderr.write(
      `# ${samples.length} requests of others, ${number} events, peak memory ${memory.toFixed(0)} MB\n`,
    );
    for (const { status, bytes } of [first, second]) {
      expect(status).to.equal(200);
      expect(bytes).to.be.above((SECONDS * BYTES_PER_SECOND) / 4);
    }
    const count = (status: number) => samples.filter((sample) => sample.status === status).length;
    // On a slow machine, the service may refuse pages.
    expect(count(200) + count(503), 'served and refused pages').to.equal(samples.length);
    expect(count(200), 'served pages').to.be.at.least(SECONDS);
    if (process.platform === 'linux') expect(memory).to.be.below(LIMIT_MB);
    await deployment.caughtUp();
    await eventually('no export runs', async () => (await metricOf(admin, 'exports_running')) === 0);
    expect(await metricOf(admin, 'exports_total', 'outcome="disconnected"')).to.equal(2);
    expect(await metricOf(admin, 'exports_total', 'outcome="refused"')).to.equal(1);
    const { status } = await fetchAccepted(`${origin}/api/changes?afterChangeNumber=9007199254740991`);
    expect(status).to.equal(200);
  });
});
