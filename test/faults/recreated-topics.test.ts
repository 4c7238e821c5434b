import { setTimeout as sleep } from 'node:timers/promises';
import { activeBuilders } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, recreateTopic, registryOf } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

/** How often each scenario runs. */
const RUNS = Number(process.env.VITRINE_RECREATED_RUNS ?? 1);
const PARTITIONS = 2;
const OLD_LISTINGS = 40;
/** Number of listings in the new topic. */
const SIZES = { fewer: 20, 'as many': OLD_LISTINGS, more: 90 };
const NOTICED_WITHIN_MS = 60_000;
/** The interval of the check. With the long interval, only the ids in the commits help. */
const OFTEN = { observeEvery: 300 };
const NEVER = { observeEvery: 3_600_000 };
const RECREATED = /was deleted and created again: its id was [\w-]{22}, and now it is [\w-]{22}/;
/** On a slow machine, two checks may happen before the topic is created again. */
const ENDED = new RegExp(`${RECREATED.source}|was deleted while it was being read`);

/** A deployment whose topic is deleted and created again, and its projector behind a proxy. */
class Scenario {
  readonly deployment: Deployment;
  readonly #proxy: FaultProxy;
  #projector: RunningProjector | undefined;
  #isPaused = false;

  private constructor(deployment: Deployment, proxy: FaultProxy) {
    this.deployment = deployment;
    this.#proxy = proxy;
    proxy.hook = (step) => (this.#isPaused && step === 'write states' ? 'cut' : 'pass');
  }

  /** Runs `work` with a new deployment. */
  static async run(work: (scenario: Scenario) => Promise<void>): Promise<void> {
    const deployment = await createDeployment('recreated', PARTITIONS);
    const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    const scenario = new Scenario(deployment, proxy);
    try {
      await work(scenario);
    } finally {
      await scenario.stop();
      await proxy.close();
      await deployment.close();
    }
  }

  async start(options: { observeEvery: number } = OFTEN): Promise<void> {
    this.#projector = await runProjector(this.deployment, { ELASTICSEARCH_URL: this.#proxy.url }, options);
  }
  async stop(): Promise<void> {
    await this.#projector?.stop();
    this.#projector = undefined;
  }
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  publish(from: number, count: number): Promise<void> {
    const market = new MarketEvents();
    // The first version of every seventh listing is hidden.
    const listings = Array.from({ length: count }, (_, i) => (from + i) * 7 + 1);
    return this.deployment.publish(
      listings.map((listing, i) => ({ ...market.snapshot(listing), partition: i % PARTITIONS })),
    );
  }
  publishOld(): Promise<void> {
    return this.publish(0, OLD_LISTINGS);
  }
  /** Starts a projector, and lets it read the old topic. */
  async readOld(): Promise<void> {
    await this.start();
    await this.publishOld();
    await this.deployment.caughtUp();
  }
  async recreateWith(count: number): Promise<void> {
    await recreateTopic(this.deployment, PARTITIONS);
    await this.publish(1_000, count);
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.publishOld();
    await eventually('a partition is paused', async () =>
      (await this.#projector?.reasons())?.some((reason) => reason.includes('is paused')),
    );
  }
  resume(): void {
    this.#isPaused = false;
  }

  /** Waits until the projector ends because the topic has another id. */
  async ended(): Promise<void> {
    const error = await Promise.race([
      this.#projector?.failed,
      sleep(NOTICED_WITHIN_MS, undefined, { ref: false }),
    ]);
    expect(error?.message, 'why the projector ends').to.match(ENDED);
    expect(error?.message).to.include(this.deployment.topic);
  }
  async expectNew(count: number, generation?: number): Promise<void> {
    await this.deployment.caughtUp(undefined, generation);
    const expected = Array.from({ length: count }, (_, i) => MarketEvents.idOf((1_000 + i) * 7 + 1));
    const ids = [...(await this.deployment.items(generation)).keys()];
    expect(ids.filter((id) => expected.includes(id)).sort(), 'listings of the new topic').to.deep.equal(
      expected,
    );
  }
  recordsRead(): Promise<number> | undefined {
    return this.#projector?.metric('projector_records_total');
  }
  async committed(): Promise<{ partition: number; offset: string; metadata?: string | null }[]> {
    const { admin, groupId, topic } = this.deployment;
    const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
    return group?.partitions ?? [];
  }
}

describe('a topic that is deleted and created again (librdkafka#3255, confluent-kafka-python#1787)', () => {
  it('a projector that began with the old topic ends when another one joins its group', () =>
    Scenario.run(async (scenario) => {
      await scenario.start(NEVER);
      await scenario.pause();
      await scenario.recreateWith(SIZES.more);
      const second = await runProjector(scenario.deployment, {}, NEVER);
      try {
        await scenario.ended();
        await scenario.stop();
        await scenario.expectNew(SIZES.more);
      } finally {
        await second.stop();
      }
    }));

  it('commits of release 1.1.0, which contain no id, count as commits of the current topic', () =>
    Scenario.run(async (scenario) => {
      await scenario.readOld();
      await scenario.stop();
      const { admin, groupId, topic } = scenario.deployment;
      const partitions = (await scenario.committed()).map(({ partition, offset }) => ({ partition, offset }));
      await admin.setOffsets({ groupId, topic, partitions });
      expect((await scenario.committed()).map(({ metadata }) => metadata)).to.deep.equal([null, null]);
      await scenario.publish(1_000, SIZES.fewer);
      await scenario.start();
      await scenario.expectNew(SIZES.fewer);
      expect(await scenario.recordsRead(), 'records read after the upgrade').to.equal(SIZES.fewer);
      for (const { metadata } of await scenario.committed())
        expect(metadata).to.match(/^topic-id=[\w-]{22}$/);
    }));

  /** Runs a scenario with every size at the same time, because it mostly waits for Kafka. */
  const withEverySize = (when: string, work: (scenario: Scenario, count: number) => Promise<void>) => {
    for (let run = 1; run <= RUNS; run++)
      it(`${when}, with ${Object.keys(SIZES).join(', ')} records${RUNS > 1 ? `, run ${run}` : ''}`, async () => {
        const failures: string[] = [];
        await Promise.all(
          Object.entries(SIZES).map(([size, count]) =>
            Scenario.run((scenario) => work(scenario, count)).catch((error: Error) => {
              failures.push(`with ${size} records: ${error.stack}`);
            }),
          ),
        );
        expect(failures.join('\n')).to.equal('');
      });
  };

  withEverySize('while the projector runs', async (scenario, count) => {
    await scenario.readOld();
    await scenario.recreateWith(count);
    await scenario.ended();
    await scenario.restart();
    await scenario.expectNew(count);
  });

  withEverySize('while a partition is paused', async (scenario, count) => {
    await scenario.start();
    await scenario.pause();
    await scenario.recreateWith(count);
    await scenario.ended();
    scenario.resume();
    await scenario.restart();
    await scenario.expectNew(count);
  });

  withEverySize(
    'while a partition is paused that commits into the new log before the next check',
    async (scenario, count) => {
      await scenario.start(NEVER);
      await scenario.pause();
      await scenario.recreateWith(count);
      scenario.resume();
      await eventually('the retained batch is committed', async () =>
        (await scenario.committed()).some(({ offset }) => Number(offset) > 0),
      );
      await scenario.restart();
      await scenario.expectNew(count);
    },
  );

  withEverySize('while the projector is stopped', async (scenario, count) => {
    await scenario.readOld();
    await scenario.stop();
    await scenario.recreateWith(count);
    await scenario.start();
    await scenario.expectNew(count);
  });

  withEverySize('during a rebuild', async (scenario, count) => {
    await scenario.readOld();
    const { deployment } = scenario;
    const replay = cli(deployment, ['replay', '--rate', '1']);
    await eventually(
      'the rebuild has begun',
      async () => (activeBuilders(await registryOf(deployment))[0]?.done ?? 0) > 0,
    );
    await scenario.recreateWith(count);
    await scenario.ended();
    await scenario.restart();
    const failed = await replay;
    expect(failed.code, failed.output).not.to.equal(0);
    expect(failed.output).to.match(ENDED);
    const resumed = await cli(deployment, ['replay', 'resume']);
    expect(resumed.code, resumed.output).to.equal(3);
    expect(resumed.output).to.match(RECREATED).and.to.include('replay cancel');
    expect((await cli(deployment, ['replay', 'cancel'])).code).to.equal(0);
    const again = await cli(deployment, ['replay']);
    expect(again.code, again.output).to.equal(0);
    await scenario.expectNew(count);
    await scenario.expectNew(count, 3);
    expect((await deployment.items(3)).size).to.equal(count);
    const verified = await cli(deployment, ['verify', '3']);
    expect(verified.json.verification, verified.output).to.have.property('unexplained');
    const { unexplained } = verified.json.verification as { unexplained: number };
    const allowed = ['--allow-explained', '--allow-diff', String(unexplained)];
    const switched = await cli(deployment, ['switch', '3', ...allowed]);
    expect(switched.code, switched.output).to.equal(0);
    const pruned = await cli(deployment, ['prune']);
    expect(pruned.json, pruned.output).to.deep.equal({ pruned: [1] });
  });
});
