import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames, registryIndex } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import {
  createDeployment,
  type Deployment,
  forgetDeletions,
  untilBuildersAreDead,
} from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import {
  type FaultProxy,
  type ProxiedRequest,
  type Step,
  startFaultProxy,
  type Verdict,
} from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

const LISTINGS = 30;
const REMOVED = 10;

interface Scenario {
  title: string;
  /** Arguments of `replay`. */
  args: string[];
  /** Whether the test stops the builder at this request. */
  stopsAt(step: Step, moment: 'before' | 'after', request: ProxiedRequest): boolean;
  /** The result of that request. `late` means that the request arrives after the switch. */
  fate: Verdict | 'late';
}

const readsStates = (_: Step, moment: string, { method, path }: ProxiedRequest) =>
  method === 'POST' && path.startsWith('/_search') && moment === 'after';

const writesStates = (step: Step, moment: string) => step === 'write states' && moment === 'before';

const SCENARIOS: Scenario[] = [
  {
    title: 'has read a page of states to copy',
    args: ['--from', 'states'],
    stopsAt: readsStates,
    fate: 'pass',
  },
  {
    title: 'has to send a page of copies again',
    args: ['--from', 'states'],
    stopsAt: writesStates,
    fate: 'cut',
  },
  {
    title: 'has sent a page of copies, which arrives late',
    args: ['--from', 'states'],
    stopsAt: writesStates,
    fate: 'late',
  },
  { title: 'has read a page of states to derive', args: [], stopsAt: readsStates, fate: 'pass' },
];

/**
 * The scenarios run concurrently, so the test waits only once for the 15 s after which a builder counts as
 * dead.
 */
describe('a builder that is suspended until another builder has taken over, finished and switched', () => {
  const running = new Map<string, Promise<void>>();

  before(() => {
    for (const scenario of SCENARIOS) {
      const outcome = stopAndTakeOver(scenario);
      // The scenario's own test awaits this promise. Until then, the catch prevents an unhandled rejection.
      outcome.catch(() => undefined);
      running.set(scenario.title, outcome);
    }
  });
  after(() => Promise.allSettled(running.values()));

  for (const { title } of SCENARIOS)
    it(`changes nothing when it continues, although it ${title}`, async () => {
      await running.get(title);
    });
});

async function stopAndTakeOver({ args, stopsAt, fate }: Scenario): Promise<void> {
  const deployment = await createDeployment('stopped', 2);
  const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  let projector: RunningProjector | undefined;
  let stopped: ServiceProcess | undefined;
  try {
    const market = new MarketEvents();
    projector = await runProjector(deployment);
    // Each listing has several records, so a rebuild from the topic folds first and derives afterwards.
    for (const price of [100, 200, 300])
      await deployment.publish(
        Array.from({ length: LISTINGS }, (_, i) =>
          price === 100 ? market.snapshot(i) : market.changed(i, { price }),
        ),
      );
    await deployment.caughtUp();

    const { asleep, builder, deliver } = spawnStoppedBuilder(deployment, proxy, args, stopsAt, fate);
    stopped = builder;
    await asleep;
    await takeOver(deployment);

    const removed = Array.from({ length: REMOVED }, (_, i) => market.removed(i + 1));
    await forgetDeletions(deployment.client, generationNames(deployment.prefix, 2).items, async () => {
      await deployment.publish(removed);
      await deployment.caughtUp(undefined, 2);
    });
    await expectFold(deployment, market.sent);

    if (fate === 'late') await deliver();
    const written = await wakeUp(proxy, builder);
    expect(await builder.exited, builder.log()).to.equal(3);
    expect(builder.log()).to.include('generation 2 was taken over by another process');
    await deployment.client.indices.refresh({ index: generationNames(deployment.prefix, 2).items });
    await expectFold(deployment, market.sent);
    expect(written, 'bulk requests after the builder continued').to.equal(0);
  } finally {
    await stopped?.end('SIGKILL');
    await projector?.stop();
    await proxy.close();
    await deployment.close();
  }
}

/**
 * Starts a replay through the proxy. `asleep` resolves when the replay is suspended. `deliver` forwards its
 * held request.
 */
function spawnStoppedBuilder(
  deployment: Deployment,
  proxy: FaultProxy,
  args: string[],
  stopsAt: Scenario['stopsAt'],
  fate: Scenario['fate'],
) {
  const asleep = Promise.withResolvers<void>();
  const delivery = Promise.withResolvers<Verdict>();
  proxy.hook = (step, moment, request) => {
    if (!stopsAt(step, moment, request)) return 'pass';
    proxy.hook = () => 'pass';
    builder.child.kill('SIGSTOP');
    asleep.resolve();
    return fate === 'late' ? delivery.promise : fate;
  };
  const builder = startService('cli', { ...deployment.env, ELASTICSEARCH_URL: proxy.url }, [
    'replay',
    ...args,
  ]);
  void builder.exited.then(() => asleep.reject(new Error(`the replay ended: ${builder.log()}`)));
  const deliver = async () => {
    const answered = new Promise<void>((resolve) => {
      proxy.hook = (step, moment) => {
        if (step === 'write states' && moment === 'after') resolve();
        return 'pass';
      };
    });
    delivery.resolve('pass');
    await answered;
  };
  return { asleep: asleep.promise, builder, deliver };
}

/** Runs a second builder, which resumes and finishes the replay, and then switches. */
async function takeOver(deployment: Deployment): Promise<void> {
  await untilBuildersAreDead(deployment);
  for (const command of [['replay', 'resume'], ['verify'], ['switch']]) {
    const { code, output } = await cli(deployment, command);
    expect(code, `${command.join(' ')}: ${output}`).to.equal(0);
  }
}

/**
 * Continues the suspended builder. The builder learns about the new builder only from the registry, whose
 * responses the proxy delays by some seconds.
 * @returns the number of bulk requests that the builder sent before it ended
 */
async function wakeUp(proxy: FaultProxy, builder: ServiceProcess): Promise<number> {
  let written = 0;
  proxy.hook = async (step, moment, { path }): Promise<Verdict> => {
    if (moment === 'after') return 'pass';
    if (step === 'write states' || step === 'write items') written++;
    if (path.includes(registryIndex(''))) await sleep(3_000);
    return 'pass';
  };
  builder.child.kill('SIGCONT');
  await builder.exited;
  return written;
}
