import { compareGenerations, replay } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { openCommandContext, type RunningProjector, runProjector } from '../support/in-process.ts';

const FULL = process.env.VITRINE_FULL === '1';
const BYTES = 700;
/** This number is divisible by each number of partitions. */
const LISTINGS = 19_200;

interface Rebuild {
  partitions: number;
  records: number;
  /** Records per second. Undefined means no limit. */
  rate?: number;
  /** Milliseconds without progress until a consumer ends. Undefined means the projector's own limits. */
  endAfter?: number;
}

const REBUILDS: readonly Rebuild[] = FULL
  ? [
      { partitions: 12, records: 500_000, rate: 1_200 },
      { partitions: 24, records: 500_000 },
      { partitions: 64, records: 500_000 },
    ]
  : // At this rate, a chunk takes 1 s, so a partition waits for up to 12 s for its next chunk.
    [{ partitions: 12, records: 7_200, rate: 600, endAfter: 8_000 }];

describe('a rebuild of a large topic', () => {
  for (const rebuild of REBUILDS) {
    const { partitions, records, rate, endAfter } = rebuild;
    it(`completes with ${partitions} partitions ${rate ? `at ${rate} records per second` : 'and no rate limit'}`, async function () {
      this.timeout(1_800_000);
      const deployment = await createDeployment(`large-rebuild-${partitions}`, partitions, {
        'max.message.bytes': '6000000',
      });
      let projector: RunningProjector | undefined;
      try {
        await publishEvenly(deployment, partitions, records);
        projector = await runProjector(deployment);
        let ended: Error | undefined;
        void projector.failed.then((error) => {
          ended = error;
        });
        await deployment.caughtUp(900_000);
        await rebuildAndVerify(deployment, Math.min(LISTINGS, records), rate, endAfter);
        expect(ended, "the live consumer's error").to.equal(undefined);
        expect(await projector.reasons()).to.deep.equal([]);
      } finally {
        await projector?.stop();
        await deployment.close();
      }
    });
  }
});

async function rebuildAndVerify(
  deployment: Deployment,
  listings: number,
  rate: number | undefined,
  endAfter: number | undefined,
): Promise<void> {
  const operation = await openCommandContext(deployment);
  const limits = endAfter && { stallLimits: { unreadyAfter: endAfter / 2, endAfter }, observeEvery: 250 };
  try {
    const started = Date.now();
    const { generation } = await replay(
      { ...operation, ...limits },
      { from: 'topic', incompleteLog: false, ...(rate && { rate }) },
      { onBegun: () => undefined, onProgress: () => undefined },
    );
    process.stderr.write(`# rebuilt in ${((Date.now() - started) / 1_000).toFixed(0)} s\n`);
    await deployment.caughtUp(undefined, generation);
    const { items, differences } = await compareGenerations(operation, generation, () => undefined);
    expect({ differences, items }).to.deep.equal({ differences: [], items: listings });
  } finally {
    await operation.close();
  }
}

/**
 * Publishes the same number of records to each partition, in large batches. All events of a listing are in
 * one partition.
 */
async function publishEvenly(
  { kafka, topic }: Deployment,
  partitions: number,
  records: number,
): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  const listings = Math.min(LISTINGS, records);
  const BATCH = 5_000;
  for (let partition = 0; partition < partitions; partition++) {
    const own = Array.from(
      { length: Math.ceil((records - partition) / partitions) },
      (_, i) => partition + i * partitions,
    );
    for (let i = 0; i < own.length; i += BATCH)
      await producer.send({
        topic,
        messages: own.slice(i, i + BATCH).map((n) => ({ ...event(n, listings), partition })),
      });
  }
  await producer.disconnect();
}

function event(n: number, listings: number): Published {
  const listing = n % listings;
  const id = `l-${listing}`;
  const head = {
    specversion: '1.0',
    id: `e-${n}`,
    source: '/test',
    type: 'marketplace.listing.snapshot',
    subject: id,
    time: '2026-01-01T00:00:00Z',
  };
  const data = {
    version: Math.floor(n / listings) + 1,
    listing: {
      title: `Casa ${n}`,
      price: 100,
      location: { city: 'Curitiba' },
      url: `https://vitrine.example/${id}`,
      description: '',
    },
  };
  data.listing.description = 'x'.repeat(Math.max(0, BYTES - JSON.stringify({ ...head, data }).length));
  return { key: id, value: JSON.stringify({ ...head, data }) };
}
