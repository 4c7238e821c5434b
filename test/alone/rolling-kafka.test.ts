import type { EngineControl, Engines } from '@vitrine/engines';
import type { KafkaProducer } from '@vitrine/kafka';
import { expect } from 'chai';
import { startChurn } from '../support/churn.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type BalancedFeed, startBalancedFeed } from '../support/feed-clients.ts';
import { commandLineOf, kafkaFeatures, metadataVersion } from '../support/kafka-features.ts';
import { oldestAndNewest, RollingReport, startRollingEngines } from '../support/rolling.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const [FROM, TO] = oldestAndNewest('kafka');
const LISTINGS = 2_000;
/** A search has a timeout of 8 s, and a reader may need two attempts. */
const READ_WITHIN_MS = 20_000;
const release = (version: string) => version.split('.').slice(0, 2).join('.');

describe(`a rolling upgrade of three Kafka brokers from ${FROM} to ${TO}`, () => {
  let engines: Engines;
  let deployment: Deployment;
  let publisher: KafkaProducer;
  let feed: BalancedFeed;
  let projectors: ServiceProcess[] = [];
  let repeats = 0;
  const market = startChurn({ listings: LISTINGS, changesPerSecond: 50, readEveryMs: 50 });

  before(async function () {
    const started = await startRollingEngines(
      { VITRINE_KAFKA_VERSION: FROM },
      { kafkaBrokers: 3, elasticsearchHeap: '512m' },
    );
    if (started === undefined) return this.skip();
    engines = started;
    const created = await createDeployment('rolling-kafka', 6, {}, engines.settings);
    publisher = created.kafka.producer({ retries: 10 });
    await publisher.connect();
    // A source repeats a failed request, and then some events arrive twice. The fold ignores the repetition.
    const publish: Deployment['publish'] = async (records) => {
      for (let from = 0; from < records.length; from += 500)
        await eventually('the brokers accept the events', () =>
          publisher
            .send({ topic: created.topic, messages: records.slice(from, from + 500) })
            .catch(() => ++repeats && undefined),
        );
    };
    deployment = { ...created, publish };
    Object.assign(deployment.env, { RATE_LIMIT: 'off', CACHE_BYTES: '0' });
    await market.publish(deployment);
    projectors = [1, 2].map(() => startService('projector', deployment.env));
    await deployment.caughtUp();
    feed = await startBalancedFeed(1, deployment.env);
  });
  after(async () => {
    await market.stop();
    await feed?.stop();
    await Promise.all(projectors.map((projector) => projector.end('SIGKILL')));
    await publisher?.disconnect();
    await deployment?.close().catch(() => undefined);
    await engines?.stop();
  });

  const isReplicated = async () => {
    const { topics } = await deployment.admin.fetchTopicMetadata().catch(() => ({ topics: [] }));
    return (
      topics.length > 0 && topics.every(({ partitions }) => partitions.every(({ isr }) => isr.length === 3))
    );
  };
  /** The brokers, with the active controller last. */
  const inOrder = async (): Promise<[number, EngineControl][]> => {
    const { controller } = await deployment.admin.describeCluster();
    return engines.kafkaBrokers
      .map((broker, index): [number, EngineControl] => [index + 1, broker])
      .sort(([a], [b]) => Number(a === controller) - Number(b === controller));
  };
  /** Whether the group has committed everything that is in the topic now. */
  const projected = async () => {
    const ends = await eventually('the ends of the topic', () =>
      deployment.admin.fetchTopicOffsets(deployment.topic).catch(() => undefined),
    );
    const began = performance.now();
    await eventually(
      'all sent records are projected',
      async () => {
        const [group] = await deployment.admin
          .fetchOffsets({ groupId: deployment.groupId, topics: [deployment.topic] })
          .catch(() => []);
        const committed = new Map(group?.partitions.map(({ partition, offset }) => [partition, offset]));
        return ends.every(({ partition, high }) => Number(committed.get(partition) ?? 0) >= Number(high));
      },
      120_000,
    );
    return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
  };

  it('loses nothing, before and after the new metadata version', async () => {
    const brokers = engines.settings.KAFKA_BROKERS;
    await eventually('each partition has its replicas', isReplicated, 120_000);
    expect(await metadataVersion(FROM, brokers)).to.match(new RegExp(`^${release(FROM)}-`));
    await engines.useVersions({ kafka: TO });
    const report = new RollingReport(feed);
    await market.during(deployment, feed.page, async () => {
      for (const [id, broker] of await inOrder()) {
        await broker.stop();
        await broker.start();
        await eventually('each partition has its replicas', isReplicated, 180_000);
        report.note(
          `broker ${id} changed from ${FROM} to ${TO}`,
          `until each replica was in sync, and projected ${await projected()} later`,
        );
      }
      expect(await metadataVersion(TO, brokers)).to.match(new RegExp(`^${release(FROM)}-`));
      await kafkaFeatures(TO, brokers, 'upgrade', '--release-version', release(TO));
      expect(await metadataVersion(TO, brokers)).to.match(new RegExp(`^${release(TO)}-`));
      report.note(`metadata version ${release(TO)} finalized`, `and projected ${await projected()} later`);
    });
    for (const { pid } of engines.kafkaBrokers) expect(await commandLineOf(pid)).to.include(`kafka-${TO}-`);
    expect(await market.expectModel(deployment, [1])).to.be.above(LISTINGS / 2);
    const { pages, longestWait, refused } = report.summary(market.changes());
    process.stderr.write(`# measured: the source repeated ${repeats} requests to Kafka\n`);
    expect(pages, 'pages during the upgrade').to.be.above(100);
    expect(refused, 'responses 503, because readers do not need Kafka').to.equal(0);
    // Readers do not need Kafka, but a machine that starts brokers delays their searches.
    expect(longestWait, 'milliseconds of the longest wait for a page').to.be.below(READ_WITHIN_MS);
  });
});
