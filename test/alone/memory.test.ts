import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { encodeBatch, encodeRecords, produceBatch } from '../support/record-batches.ts';
import { eventually, peakMemoryOf, startService } from '../support/service-process.ts';

const LIMIT_MB = 400;
const PARTITIONS = 12;
/** Approximate size of each record. */
const BYTES = 600;

interface Lag {
  records: number;
  listings: number;
  publish(deployment: Deployment): Promise<void>;
}

/** Each listing gets twenty events, which are far apart in the log. */
const EVENTS: Lag = {
  records: Number(process.env.VITRINE_LAG ?? 1_000_000),
  listings: Number(process.env.VITRINE_LAG ?? 1_000_000) / 20,
  publish: async (deployment) => {
    const CHUNK = 20_000;
    for (let from = 0; from < EVENTS.records; from += CHUNK)
      await deployment.publish(
        Array.from({ length: CHUNK }, (_, i) =>
          event((from + i) % EVENTS.listings, Math.floor((from + i) / EVENTS.listings) + 1),
        ),
      );
  },
};

/**
 * This lag consists mostly of events of an unknown type, which the projector skips at full speed, and of some
 * events for a few listings.
 */
const SKIPPED_IN_BATCH = 8_000;
const BATCHES = 9;
const SKIPPED: Lag = {
  records: PARTITIONS * BATCHES * SKIPPED_IN_BATCH,
  listings: 240,
  publish: async (deployment) => {
    const batch = encodeBatch(
      encodeRecords(Array.from({ length: SKIPPED_IN_BATCH }, skipped)),
      SKIPPED_IN_BATCH,
      { gzip: false },
    );
    for (let i = 0; i < BATCHES; i++) {
      for (let partition = 0; partition < PARTITIONS; partition++)
        await produceBatch(deployment.env.KAFKA_BROKERS as string, deployment.topic, partition, batch);
      await deployment.publish(
        Array.from({ length: SKIPPED.listings }, (_, listing) => event(listing, i + 1)),
      );
    }
  },
};

describe('memory', () => {
  const lag = process.env.VITRINE_FULL === '1' ? EVENTS : SKIPPED;
  const logMB = (lag.records * BYTES) / 1_000_000;

  it(`stays below ${LIMIT_MB} MB with ${lag.records.toLocaleString('en')} records (${logMB} MB) of lag in ${PARTITIONS} partitions`, async function () {
    if (process.platform !== 'linux') this.skip();
    this.timeout(1_800_000);
    const deployment = await createDeployment('memory', PARTITIONS);
    await lag.publish(deployment);
    const started = Date.now();
    const projector = startService('projector', deployment.env);
    try {
      await deployment.caughtUp(1_700_000);
      const seconds = (Date.now() - started) / 1000;
      const peak = peakMemoryOf(projector.child.pid);
      process.stderr.write(
        `# ${seconds.toFixed(0)} s (${(lag.records / seconds).toFixed(0)} records/s), peak ` +
          `${peak.toFixed(0)} MB\n`,
      );
      expect(peak).to.be.below(LIMIT_MB);
      const { count } = await deployment.client.count({ index: `${deployment.prefix}-items` });
      expect(count).to.equal(lag.listings);
    } finally {
      await projector.end('SIGKILL');
      await eventually(
        'gone',
        async () => projector.child.signalCode !== null || projector.child.exitCode !== null,
      );
      await deployment.close();
    }
  });
});

const envelope = (type: string, subject: string, data: object): Published => {
  const head = { specversion: '1.0', id: 'e', source: '/test', type, subject, time: '2026-01-01T00:00:00Z' };
  return { key: subject, value: JSON.stringify({ ...head, data }) };
};

function event(listing: number, version: number): Published {
  const id = `m-${listing}`;
  const place = { location: { city: 'Curitiba' }, url: `https://vitrine.example/${id}` };
  const data = {
    ad_type: 'rent',
    title: `Casa ${version}`,
    description: 'x'.repeat(200),
    price: 100 + version,
    ...place,
  };
  return envelope('marketplace.listing.snapshot', id, { version, listing: data });
}

/** An event of an unknown type. Its text is random, so that no layer can compress it. */
const skipped = (): Published =>
  envelope('marketplace.listing.seen', 'm-0', { text: randomBytes(340).toString('base64') });
