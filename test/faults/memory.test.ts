import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createDeployment } from '../support/deployment.ts';
import { eventually, spawnService } from '../support/service-process.ts';

const RECORDS = Number(process.env.VITRINE_LAG ?? (process.env.VITRINE_FULL ? 1_000_000 : 50_000));
const LISTINGS = RECORDS / 20;
const LIMIT_MB = 400;

/** The most memory a process ever held, in MB, as Linux keeps it. */
const peakOf = (pid: number): number => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe('memory', () => {
  it(`stays below ${LIMIT_MB} MB with ${RECORDS.toLocaleString('en')} records of lag`, async function () {
    if (process.platform !== 'linux') this.skip();
    this.timeout(1_800_000);
    const deployment = await createDeployment('memory', 6);
    const CHUNK = 20_000;
    for (let from = 0; from < RECORDS; from += CHUNK) await deployment.publish(Array.from({ length: CHUNK }, (_, i) => record(from + i)));
    const started = Date.now();
    const projector = spawnService('projector', deployment.env);
    try {
      await deployment.caughtUp(1_700_000);
      const seconds = (Date.now() - started) / 1000;
      const peak = peakOf(projector.child.pid ?? 0);
      process.stderr.write(`# ${RECORDS} records in ${seconds.toFixed(0)} s (${(RECORDS / seconds).toFixed(0)}/s), peak ${peak.toFixed(0)} MB\n`);
      expect(peak).to.be.below(LIMIT_MB);
      const { count } = await deployment.client.count({ index: `${deployment.prefix}-items` });
      expect(count).to.equal(LISTINGS);
    } finally {
      await projector.end('SIGKILL');
      await eventually('gone', async () => projector.child.signalCode !== null || projector.child.exitCode !== null);
      await deployment.close();
    }
  });
});

/** About 600 bytes; each listing gets twenty of them, far from each other in the log. */
function record(n: number): { key: string; value: string } {
  const id = `m-${n % LISTINGS}`;
  const version = Math.floor(n / LISTINGS) + 1;
  const listing = {
    ad_type: 'rent',
    title: `Casa ${n}`,
    description: 'x'.repeat(200),
    price: 100 + version,
    location: { city: 'Curitiba' },
    url: `https://vitrine.example/${id}`,
  };
  const value = {
    specversion: '1.0',
    id: `e-${n}`,
    source: '/test',
    type: 'marketplace.listing.snapshot',
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: { version, listing },
  };
  return { key: id, value: JSON.stringify(value) };
}
