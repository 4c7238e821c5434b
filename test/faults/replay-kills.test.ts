import { activeBuilders, generationNames, type Registry, registryIndex } from '@vitrine/feed-index';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import {
  ageBuilders,
  buildersOf,
  createDeployment,
  type Deployment,
  registryOf,
} from '../support/deployment.ts';
import { modelOf } from '../support/expected-contents.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { cli } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

/** The rate is so low that most kills happen in the middle of a phase. */
const RATE = '1200';
/** A rebuild at this rate still has work after a kill that a busy machine delays by seconds. */
const SLOW_RATE = '300';
/** The phase that follows each phase. */
const NEXT = {
  folding: 'deriving',
  deriving: 'following',
  projecting: 'following',
  copying: 'following',
  following: 'ready',
} as const;
type WorkPhase = keyof typeof NEXT;

describe('kill -9 of a replay and of the projector, in each phase', () => {
  let deployment: Deployment;
  let projector: ServiceProcess;
  let replay: ServiceProcess | undefined;
  /** The proxy between the builders and Elasticsearch. */
  let proxy: FaultProxy;
  /** Whether the proxy holds the end of a phase. */
  let isHeld = false;
  const records = workload({ seed: 95, listings: 2_000, events: 9_000 });
  const later = workload({ seed: 96, listings: 2_000, events: 3_000 });

  before(async () => {
    deployment = await createDeployment('replay-kills', 3);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = startService('projector', deployment.env);
    await deployment.publish(records);
    await deployment.caughtUp();
  });
  after(async () => {
    await replay?.end('SIGKILL');
    await projector.end('SIGKILL');
    await proxy.close();
    await deployment.close();
  });

  const startReplay = (...args: string[]) => {
    replay = startService('cli', { ...deployment.env, ELASTICSEARCH_URL: proxy.url }, ['replay', ...args]);
  };

  /** Holds every request that would end the phase, so that no kill comes too late. */
  const holdEndOf = (phase: WorkPhase) => {
    isHeld = false;
    proxy.hook = (_, moment, { method, path, body }) => {
      const isUpdate = method === 'PUT' && path.startsWith(`/${registryIndex(deployment.prefix)}/`);
      if (moment === 'after' || !isUpdate) return 'pass';
      const { registry } = JSON.parse(body.toString()) as { registry: Registry };
      if (registry.generations.at(-1)?.phase !== NEXT[phase]) return 'pass';
      isHeld = true;
      return new Promise(() => undefined);
    };
  };

  const unfinished = async () =>
    (await registryOf(deployment)).generations.find(({ phase }) => phase !== 'ready');

  /** Kills the builder and the projector as soon as the phase has made progress. */
  const killIn = async (phase: WorkPhase) => {
    holdEndOf(phase);
    await eventually(
      `the phase ${phase}`,
      async () => {
        if (replay?.child.exitCode !== null) throw new Error(`the replay ended: ${replay?.log()}`);
        const registry = await registryOf(deployment);
        const { generations } = registry;
        const record = generations.find((one) => one.phase !== 'ready');
        const hasProgress = phase === 'following' || isHeld || (activeBuilders(registry)[0]?.done ?? 0) > 0;
        return record?.phase === phase && hasProgress;
      },
      120_000,
      20,
    );
    await Promise.all([replay?.end('SIGKILL'), projector.end('SIGKILL')]);
    proxy.hook = () => 'pass';
    await deployment.removeMembers();
    projector = startService('projector', deployment.env);
    expect((await unfinished())?.phase).to.equal(phase);
  };

  const resume = async (rate = RATE) => {
    // Kafka and the registry still consider the killed builder alive for some seconds.
    await deployment.removeMembers((await unfinished())?.number);
    await ageBuilders(deployment);
    startReplay('resume', '--rate', rate);
  };

  const expectEqual = async (generation: number, expected: typeof records) => {
    expect(await replay?.exited, replay?.log()).to.equal(0);
    await deployment.caughtUp();
    await deployment.caughtUp(undefined, generation);
    const verified = await cli(deployment, ['verify', String(generation)]);
    expect(verified.json, verified.output).to.deep.include({ differences: [] });
    expect(verified.code).to.equal(0);
    const { items } = modelOf(expected);
    for (const number of [1, generation])
      expect(await deployment.items(number), `generation ${number}`).to.deep.equal(items);
  };

  it('a replay from the topic can be resumed each time, and gives the same result as without kills', async () => {
    startReplay('--rate', RATE);
    await killIn('folding');
    // At this rate, the rest of the folding takes only a moment, but each page of a thousand states takes
    // seconds.
    await resume('200');
    await killIn('deriving');
    // Events that arrive while no builder runs must not be lost either.
    await deployment.publish(later);
    await resume();
    await killIn('following');
    await resume();
    await expectEqual(2, [...records, ...later]);
    expect((await cli(deployment, ['prune', '2'])).code).to.equal(0);
  });

  it('a replay from the states can be resumed each time, and gives the same result as without kills', async () => {
    startReplay('--from', 'states', '--rate', '600');
    const latest = workload({ seed: 97, listings: 2_000, events: 2_000 });
    await killIn('copying');
    await deployment.publish(latest);
    await resume();
    await killIn('following');
    await resume();
    await expectEqual(3, [...records, ...later, ...latest]);
  });

  it('a replay that was killed and then cancelled leaves nothing behind', async () => {
    startReplay('--rate', RATE);
    await killIn('folding');
    expect((await cli(deployment, ['replay', 'cancel'])).json).to.deep.equal({ cancelled: 4 });
    const { states, items } = generationNames(deployment.prefix, 4);
    const indices = Object.keys(await deployment.client.indices.get({ index: `${deployment.prefix}-*` }));
    expect(indices).not.to.include.members([states]);
    expect(indices).not.to.include.members([items]);
    expect(await deployment.admin.listGroups()).not.to.include(`${deployment.prefix}-group-4`);
    expect((await registryOf(deployment)).generations.map(({ number }) => number)).to.deep.equal([1, 3]);
  });

  describe('of listings that mostly have one event, so that a rebuild writes states and items in one pass', () => {
    const once = workload({ seed: 98, listings: 6_000, events: 7_000 });
    const meanwhile = workload({ seed: 99, listings: 6_000, events: 4_000 });

    before(async () => {
      await projector.end('SIGKILL');
      await deployment.close();
      deployment = await createDeployment('replay-kills-once', 3);
      projector = startService('projector', deployment.env);
      await deployment.publish(once);
      await deployment.caughtUp();
      // A rebuild chooses between one pass and two passes by the number of searchable states.
      await deployment.client.indices.refresh({ index: generationNames(deployment.prefix, 1).states });
    });

    it('a replay from the topic can be resumed each time, and gives the same result as without kills', async () => {
      startReplay('--rate', SLOW_RATE);
      await killIn('projecting');
      holdEndOf('following');
      await resume(SLOW_RATE);
      await eventually('the resumed builder makes progress', async () => {
        if (replay?.child.exitCode !== null) throw new Error(`the replay ended: ${replay?.log()}`);
        const [builder] = await buildersOf(deployment);
        return isHeld || (builder?.pid === replay?.child.pid && (builder?.done ?? 0) > 0);
      });
      // These events come after the log end that the builder waits for, so that it has events to follow.
      await deployment.publish(meanwhile);
      await killIn('following');
      await resume();
      await expectEqual(2, [...once, ...meanwhile]);
    });
  });
});
