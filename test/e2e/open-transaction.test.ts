import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workload } from '@vitrine/fixtures';
import type { KafkaProducer, KafkaTransaction } from '@vitrine/kafka';
import { gatherStatus, replay } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { cli, openCommandContext, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, metricOf } from '../support/service-process.ts';

const UNREADY_AFTER_MS = 500;
const END_AFTER_MS = 1_500;

describe('KAFKA-9144: an open transaction hides events', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let producer: KafkaProducer;
  let transaction: KafkaTransaction;
  let folder: string;
  /** The log contains no poison, so every record changes an item. */
  const records = workload({ seed: 144, listings: 60, events: 600, poison: 0 });
  const earlier = records.slice(0, 300).map((record) => ({ ...record, partition: 0 }));
  const inTransaction = records.slice(300, 340).map((record) => ({ ...record, partition: 0 }));
  const behind = records.slice(340).map((record) => ({ ...record, partition: 0 }));
  const hidden = inTransaction.length + behind.length;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'open-transaction-'));
    deployment = await createDeployment('open-transaction', 2);
    const first = await runProjector(deployment);
    await deployment.publish(earlier);
    await deployment.caughtUp();
    await first.stop();
    producer = deployment.kafka.producer({
      transactionalId: deployment.prefix,
      idempotent: true,
      transactionTimeout: 300_000,
    });
    await producer.connect();
    transaction = await producer.transaction();
    await transaction.send({ topic: deployment.topic, messages: inTransaction });
    await deployment.publish(behind);
    // This projector finds nothing to read, so a slow write cannot exceed its limits.
    projector = await runProjector(
      deployment,
      {},
      { stallLimits: { unreadyAfter: UNREADY_AFTER_MS, endAfter: END_AFTER_MS }, observeEvery: 100 },
    );
  });
  after(async () => {
    await transaction.abort().catch(() => undefined);
    await producer.disconnect();
    await projector.stop();
    await deployment.close();
    await rm(folder, { recursive: true });
  });
  /** A listing that has an event in `earlier` and in `records`, but none in `others`. */
  const listingIn = (records: typeof earlier, others: typeof earlier): string => {
    const isIn = (some: typeof earlier, id: unknown) => some.some(({ key }) => key === id);
    const found = records.find(({ key }) => isIn(earlier, key) && !isIn(others, key));
    return String(found?.key);
  };
  const metric = (name: string) => metricOf(projector.admin, name, 'generation="1",partition="0"');

  it('the lag counts to the high watermark, and metrics name the transaction', async () => {
    await eventually('the lag', async () => (await metric('projector_lag_records')) === hidden);
    expect(await metric('projector_open_transaction_records')).to.equal(hidden);
    expect(await metricOf(projector.admin, 'projector_open_transaction_records')).to.equal(hidden);
  });

  it('status names the partition, the offset, the age and the records', async () => {
    const context = await openCommandContext(deployment);
    const { generations } = await gatherStatus(context);
    await context.close();
    const lag = generations[0]?.lag;
    expect(lag).to.include({ records: hidden });
    expect(lag?.openTransactions).to.have.length(1);
    const [open] = lag?.openTransactions ?? [];
    expect(open).to.include({ partition: 0, offset: earlier.length, records: hidden, capped: false });
    expect(open?.seconds).to.be.above(0);
  });

  it('repair refuses a listing with a hidden event, because the next epoch would win over it', async () => {
    for (const id of [listingIn(inTransaction, []), listingIn(behind, inTransaction)]) {
      const { code, output } = await cli(deployment, ['repair', id, '--epoch', '--yes']);
      expect(code, output).to.equal(3);
      expect(output).to.contain(`the topic has an event for listing ${id} that the projector has not`);
    }
  });

  /** Compares the feed with a database that has only one listing, which the feed lacks. */
  const reconcile = async (): Promise<Record<string, unknown>> => {
    const source = join(folder, 'source.ndjson');
    await writeFile(source, '{"id":"only-in-the-database","title":"Casa"}\n');
    const { json, output } = await cli(deployment, ['reconcile', '--source', source, '--settle', '0']);
    expect(json, output).to.include({ source: 1 });
    return json;
  };

  it('reconcile corrects no listing with a hidden event', async () => {
    const { extra, changed } = await reconcile();
    expect(extra).to.equal(0);
    expect(changed).to.be.above(0);
  });

  it('the projector stays ready, and does not exit as if it were stalled', async () => {
    const limit = END_AFTER_MS / 1_000 + 1;
    await eventually(
      'the transaction is older than the limit of a stall',
      async () => (await metric('projector_open_transaction_seconds')) > limit,
    );
    // A slow read of the offsets can make a projector unready for a moment. A stall keeps it unready.
    await eventually('ready', async () => (await projector.reasons()).length === 0);
    expect(await Promise.race([projector.failed, sleep(0, 'runs')])).to.equal('runs');
  });

  it('a rebuild does not become ready behind it, says why, and contains its records after the commit', async () => {
    const context = await openCommandContext(deployment);
    const warnings: string[] = [];
    context.log.warn = ((...given: unknown[]) =>
      warnings.push(String(given.at(-1)))) as typeof context.log.warn;
    let isReady = false;
    const rebuild = replay(
      context,
      { from: 'topic', incompleteLog: false },
      { onBegun: () => undefined, onProgress: () => undefined },
    ).then((replayed) => {
      isReady = true;
      return replayed;
    });
    const said = await eventually('the replay says why it waits', async () => {
      expect(isReady, 'the generation is ready').to.equal(false);
      return warnings.find((warning) => warning.includes('waits for an open transaction'));
    });
    expect(said).to.include(`partition 0 from offset ${earlier.length}, ${hidden} records`);
    expect(said).to.include('kafka-transactions.sh');
    await transaction.commit();
    const { generation } = await rebuild;
    await context.close();
    await deployment.caughtUp();
    await deployment.caughtUp(90_000, generation);
    await expectFold(deployment, records);
    expect(await deployment.items(generation)).to.deep.equal(await deployment.items(1));
    await eventually('the lag is gone', async () => (await metric('projector_lag_records')) === 0);
    expect(await metricOf(projector.admin, 'projector_open_transaction_records')).to.equal(0);
  });

  it('repair is possible again after the commit', async () => {
    const { code, output } = await cli(deployment, [
      'repair',
      listingIn(behind, inTransaction),
      '--epoch',
      '--yes',
    ]);
    expect(code, output).to.equal(0);
  });

  it('after the commit, reconcile finds the listings that the database lacks', async () => {
    await deployment.caughtUp();
    const { extra, changed } = await reconcile();
    expect(extra).to.be.above(0);
    expect(changed).to.equal(0);
  });
});
