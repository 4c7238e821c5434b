import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames, type Phase } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import type { Status } from '@vitrine/operator';
import { expect } from 'chai';
import {
  buildersOf,
  createDeployment,
  type Deployment,
  forgetDeletions,
  registryOf,
} from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, type ProxiedRequest, type Step, startFaultProxy } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const LISTINGS = 6_000;
const REMOVED = 20;
/** Kafka and the registry notice a builder's absence after 10 and 15 seconds. A busy machine adds minutes. */
const STEP_WITHIN_MS = 240_000;

interface Scenario {
  /** The phase in which one builder is killed and one is stopped. */
  phase: Phase;
  events: number;
  args: string[];
  /** Both happen when the builder is about to send this kind of request. */
  step: Step;
  /** Whether the phase shares slices of states, so that the registry shows a takeover. */
  isScan: boolean;
}

const SCENARIOS: Scenario[] = [
  { phase: 'folding', events: 3, args: [], step: 'write states', isScan: false },
  { phase: 'deriving', events: 3, args: [], step: 'write items', isScan: true },
  { phase: 'projecting', events: 1, args: [], step: 'write states', isScan: false },
  { phase: 'copying', events: 1, args: ['--from', 'states'], step: 'write states', isScan: true },
];
const SHORT: Phase[] = ['folding', 'deriving'];
const isFull = process.env.VITRINE_FULL === '1';

/** The scenarios run concurrently, and so share the seconds until a lost builder is noticed. */
describe('three builders of one rebuild, of which one is killed and one is stopped, and a late one', () => {
  const running = new Map<Phase, Promise<void>>();
  const scenarios = SCENARIOS.filter(({ phase }) => isFull || SHORT.includes(phase));

  before(() => {
    for (const scenario of scenarios) {
      const outcome = new Builders(scenario).run();
      // The scenario's own test awaits this promise. Until then, this catch prevents an unhandled rejection.
      outcome.catch(() => undefined);
      running.set(scenario.phase, outcome);
    }
  });
  after(() => Promise.allSettled(running.values()));

  for (const { phase } of scenarios)
    it(`give the fold of the log, in the phase ${phase}`, async () => {
      await running.get(phase);
    });
});

/** A promise that a test resolves, and whether the test has resolved it. */
class Gate {
  readonly #opened = Promise.withResolvers<'pass'>();
  readonly passed = this.#opened.promise;
  open(): void {
    this.#opened.resolve('pass');
  }
}

class Builders {
  readonly #scenario: Scenario;
  readonly #market = new MarketEvents();
  readonly #closing: (() => Promise<unknown>)[] = [];

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  async run(): Promise<void> {
    try {
      await this.#run();
    } finally {
      for (const close of this.#closing.reverse()) await close();
    }
  }

  async #run(): Promise<void> {
    const { args, isScan } = this.#scenario;
    const deployment = await this.#deployment();
    // The first builder waits until the others are killed or stopped. With a late builder, it also waits
    // until the test has seen the status.
    const othersHurt = new Gate();
    const statusSeen = new Gate();
    const guard = await this.#proxy(deployment);
    guard.hook = (step, moment, request) => {
      if (moment === 'before' && this.#isWork(step, request)) return othersHurt.passed;
      if (moment === 'before' && isScan && isFollowing(request)) return statusSeen.passed;
      return 'pass';
    };
    const first = this.#builder(deployment, guard, ['replay', ...args]);
    await eventually('generation 2 exists', async () => (await registryOf(deployment)).last === 2);
    const killed = await this.#hurtBuilder(deployment, 'SIGKILL');
    const stopped = await this.#hurtBuilder(deployment, 'SIGSTOP');
    await within('the killed builder works', killed.hurt, () => killed.builder.log());
    await within('the stopped builder works', stopped.hurt, () => stopped.builder.log());
    expect((await registryOf(deployment)).generations.at(-1)?.phase).to.equal(this.#scenario.phase);
    const late = this.#builder(deployment, guard, ['replay', 'join', '2']);
    await eventually('the late builder has joined', async () => {
      if (late.child.exitCode !== null) throw new Error(`the late builder ended: ${late.log()}`);
      return (await buildersOf(deployment)).some(({ pid }) => pid === late.pid);
    });
    othersHurt.open();
    if (isScan) await this.#expectTakeover(deployment, [killed, stopped]);
    statusSeen.open();
    expect(await ended('the first builder', first), first.log()).to.equal(0);
    expect(await ended('the late builder', late), late.log()).to.equal(0);

    for (const command of ['verify', 'switch']) {
      const { code, output } = await cli(deployment, [command]);
      expect(code, `${command}: ${output}`).to.equal(0);
    }
    await this.#removeSome(deployment);
    await expectFold(deployment, this.#market.sent);
    // The stopped builder's request arrives, and then the builder continues. The generation is live.
    await within('its request is answered', stopped.deliver(), () => stopped.builder.log());
    stopped.builder.child.kill('SIGCONT');
    const code = await ended('the stopped builder', stopped.builder);
    // In a phase that reads the topic, the rebuild can end before the registry notices the builder's absence.
    expect(code, stopped.builder.log()).to.be.oneOf(isScan ? [3] : [0, 3]);
    await deployment.caughtUp(undefined, 2);
    await expectFold(deployment, this.#market.sent);
    const aliases = await deployment.client.indices.getAlias({ index: `${deployment.prefix}-*-2` });
    const names = Object.values(aliases).flatMap((index) => Object.keys(index.aliases));
    expect(names.filter((name) => name.includes('builder'))).to.deep.equal([]);
  }

  /** Whether a request is work of the phase that the first builder must not do alone. */
  #isWork(step: Step, { method, path }: ProxiedRequest): boolean {
    const { isScan } = this.#scenario;
    return isScan ? method === 'POST' && path.startsWith('/_search') : step === this.#scenario.step;
  }

  async #deployment(): Promise<Deployment> {
    const { phase, events } = this.#scenario;
    const deployment = await createDeployment(`several-${phase}`, 4);
    this.#closing.push(() => deployment.close());
    const projector: RunningProjector = await runProjector(deployment);
    this.#closing.push(() => projector.stop());
    const listings = Array.from({ length: LISTINGS }, (_, i) => i);
    for (let event = 0; event < events; event++)
      await deployment.publish(
        listings.map((i) =>
          event === 0 ? this.#market.snapshot(i) : this.#market.changed(i, { price: 100 * event + i }),
        ),
      );
    await deployment.caughtUp();
    // A rebuild chooses between one pass and two passes by the number of searchable states.
    await deployment.client.indices.refresh({ index: generationNames(deployment.prefix, 1).states });
    return deployment;
  }

  async #proxy(deployment: Deployment): Promise<FaultProxy> {
    const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    this.#closing.push(() => proxy.close());
    return proxy;
  }

  #builder(deployment: Deployment, proxy: FaultProxy, args: string[]): ServiceProcess {
    const builder = startService('cli', { ...deployment.env, ELASTICSEARCH_URL: proxy.url }, args);
    this.#closing.push(() => builder.end('SIGKILL'));
    return builder;
  }

  /**
   * Starts a builder that joins and receives the signal when it is about to send its first request of the
   * step. `deliver` forwards this request.
   */
  async #hurtBuilder(deployment: Deployment, signal: 'SIGKILL' | 'SIGSTOP') {
    const { step: fatal } = this.#scenario;
    const proxy = await this.#proxy(deployment);
    const hurt = Promise.withResolvers<void>();
    const held = new Gate();
    const answered = new Gate();
    let request: Buffer | undefined;
    proxy.hook = (step, moment, { body }) => {
      if (step === fatal && moment === 'before' && !request) {
        request = body;
        builder.child.kill(signal);
        hurt.resolve();
        return held.passed;
      }
      if (body === request && moment === 'after') answered.open();
      return 'pass';
    };
    const builder = this.#builder(deployment, proxy, ['replay', 'join', '2']);
    void builder.exited.then(() => hurt.reject(new Error(`the builder ended: ${builder.log()}`)));
    hurt.promise.catch(() => undefined);
    const deliver = async () => {
      held.open();
      await answered.passed;
    };
    return { builder, hurt: hurt.promise, deliver };
  }

  /** `status` names both lost builders, and a builder that continues their slices. */
  async #expectTakeover(deployment: Deployment, lost: { builder: ServiceProcess }[]): Promise<void> {
    const pids = lost.map(({ builder }) => builder.child.pid).sort();
    await eventually(
      'status shows the takeover',
      async () => {
        const { running } = (await cli(deployment, ['status'])).json as unknown as Status;
        const builders = running?.builders ?? [];
        const shown = builders.filter((builder) => builder.lost).map(({ pid }) => pid);
        const takenOver = builders.reduce((sum, { slices }) => sum + (slices?.takenOver ?? 0), 0);
        return shown.sort().join() === pids.join() && takenOver > 0;
      },
      STEP_WITHIN_MS,
    );
  }

  async #removeSome(deployment: Deployment): Promise<void> {
    const removed = Array.from({ length: REMOVED }, (_, i) =>
      this.#market.removed(Math.floor((i * LISTINGS) / REMOVED)),
    );
    await forgetDeletions(deployment.client, generationNames(deployment.prefix, 2).items, async () => {
      await deployment.publish(removed);
      await deployment.caughtUp(undefined, 2);
    });
  }
}

/** A builder gives its items the refresh interval of live items when it begins to follow the topic. */
const isFollowing = ({ method, path }: ProxiedRequest) => method === 'PUT' && path.includes('/_settings');

/** @throws an Error with `what` and the log if the promise takes too long */
async function within<T>(what: string, promise: Promise<T>, log: () => string): Promise<T> {
  const limit = sleep(STEP_WITHIN_MS, 'timed out' as const, { ref: false });
  const outcome = await Promise.race([promise, limit]);
  if (outcome === 'timed out') throw new Error(`timed out: ${what}; ${log()}`);
  return outcome;
}

const ended = (what: string, { exited, log }: ServiceProcess): Promise<number | null> =>
  within(`${what} ends`, exited, log);
