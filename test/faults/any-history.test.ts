import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expectFold } from '../support/assertions.ts';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { type ServiceProcess, spawnService } from '../support/service-process.ts';
import { workload } from '../support/workload.ts';

/** What happened so far: the log as the oracle knows it, and what runs. */
interface World {
  deployment: Deployment;
  published: Published[];
  /** Sent, and still on their way. */
  delayed: Published[];
  projectors: ServiceProcess[];
  seed: number;
}

type Action = [what: string, act: (world: World) => Promise<void>];

const publish = async (world: World, records: Published[]): Promise<void> => {
  world.published.push(...records);
  await world.deployment.publish(records);
};
const produce = (world: World): Published[] => workload({ seed: world.seed++, listings: 40, events: 300, poison: 0.02 });
const start = (world: World): void => void world.projectors.push(spawnService('projector', world.deployment.env));

const ACTIONS: Action[] = [
  ['events', (world) => publish(world, produce(world))],
  ['the same events again', (world) => publish(world, world.published.slice(-100))],
  ['events that are delayed', async (world) => void world.delayed.push(...produce(world))],
  ['what was delayed arrives', (world) => publish(world, world.delayed.splice(0))],
  ['a projector is killed', async (world) => void (await world.projectors.shift()?.end('SIGKILL'))],
  ['a projector is stopped', async (world) => void (await world.projectors.shift()?.end('SIGTERM'))],
  ['another projector starts', async (world) => (world.projectors.length < 2 ? start(world) : undefined)],
  ['some time passes', () => sleep(2_000)],
  [
    'Elasticsearch restarts',
    async () => {
      const { elasticsearch } = await engines();
      await elasticsearch?.kill();
      await elasticsearch?.start();
    },
  ],
  [
    'dead letters are sent again',
    async (world) => {
      const letters = (await world.deployment.deadLetters()).slice(0, 5);
      await publish(
        world,
        letters.map(({ key, value }) => ({ key: key as Buffer | null, value: value as Buffer | null })),
      );
    },
  ],
];

/** The actions' number on the real engines; every history runs to a quiet end and is held against the oracle. */
const ROUNDS = process.env.VITRINE_FULL ? 5 : 1;
const LENGTH = 14;

describe('any history on the real engines', () => {
  const history = fc.array(fc.integer({ min: 0, max: ACTIONS.length - 1 }), { minLength: LENGTH, maxLength: LENGTH });

  for (const [round, steps] of fc.sample(history, { numRuns: ROUNDS, seed: 20_261_121 }).entries())
    it(`ends in the fold of the log: ${steps.map((step) => ACTIONS[step]?.[0]).join(', ')}`, async () => {
      const world: World = { deployment: await createDeployment('any', 3), published: [], delayed: [], projectors: [], seed: 1000 * (round + 1) };
      try {
        start(world);
        await publish(world, produce(world));
        for (const step of steps) await ACTIONS[step]?.[1](world);
        await publish(world, world.delayed.splice(0));
        if (world.projectors.length === 0) start(world);
        await world.deployment.caughtUp(120_000);
        await expectFold(world.deployment, world.published);
      } finally {
        await Promise.all(world.projectors.map((projector) => projector.end('SIGKILL')));
        await world.deployment.close();
      }
    });
});
