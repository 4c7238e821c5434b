import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import fc from 'fast-check';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { expectFold } from '../support/expected-contents.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

/** The history so far: the published events for the oracle, and the running projectors. */
interface World {
  deployment: Deployment;
  published: Published[];
  /** Events that exist but have not reached the topic yet. */
  delayed: Published[];
  projectors: ServiceProcess[];
  seed: number;
  /** Number of kills after the projectors had committed some of the newest records but not all of them. */
  killsAmidRecords: number;
}

type Action = [what: string, act: (world: World) => Promise<void>];

const publish = async (world: World, records: Published[]): Promise<void> => {
  world.published.push(...records);
  await world.deployment.publish(records);
};
const produce = (world: World, events = 300): Published[] =>
  workload({ seed: world.seed++, listings: 40, events, poison: 0.02, raised: 0.02 });
const start = (world: World): void =>
  void world.projectors.push(startService('projector', world.deployment.env));

/** The number of records that the group has committed, and of records that it has not committed. */
async function progress({
  deployment: { admin, groupId, topic },
}: World): Promise<{ done: number; left: number }> {
  const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const ends = await admin.fetchTopicOffsets(topic);
  const done = (group?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
  return { done, left: ends.reduce((sum, { high }) => sum + Number(high), 0) - done };
}

/** Kills all projectors after they have committed some of the newest records but not all of them. */
async function killAmidRecords(world: World): Promise<void> {
  if (world.projectors.length === 0) start(world);
  for (let events = 3_000; ; events *= 2) {
    await world.deployment.caughtUp();
    const before = (await progress(world)).done;
    await publish(world, produce(world, events));
    const { left } = await eventually(
      'the projector has committed some of the records',
      async () => {
        const now = await progress(world);
        return now.done > before && now;
      },
      120_000,
      5,
    );
    if (left === 0) continue;
    await Promise.all(world.projectors.splice(0).map((projector) => projector.end('SIGKILL')));
    // By now, every commit has arrived or is lost. The projectors may have finished before the kill.
    const wereAmidRecords = (await progress(world)).left > 0;
    start(world);
    if (!wereAmidRecords) continue;
    world.killsAmidRecords++;
    return;
  }
}

const ACTIONS: Action[] = [
  ['events', (world) => publish(world, produce(world))],
  ['recent events are published again', (world) => publish(world, world.published.slice(-100))],
  ['some events are delayed', async (world) => void world.delayed.push(...produce(world))],
  ['the delayed events arrive', (world) => publish(world, world.delayed.splice(0))],
  ['a projector is killed', async (world) => void (await world.projectors.shift()?.end('SIGKILL'))],
  ['all projectors are killed before they have committed all records', killAmidRecords],
  ['a projector is stopped', async (world) => void (await world.projectors.shift()?.end('SIGTERM'))],
  ['another projector starts', async (world) => (world.projectors.length < 2 ? start(world) : undefined)],
  ['some time passes', () => sleep(2_000)],
  [
    'dead letters are retried',
    async (world) => {
      const deadLetters = (await world.deployment.deadLetters()).slice(0, 5);
      await publish(
        world,
        deadLetters.map(({ key, value }) => ({ key: key as Buffer | null, value: value as Buffer | null })),
      );
    },
  ],
];

const RESTART: Action = [
  'Elasticsearch restarts',
  async () => {
    const { elasticsearch } = await engines();
    await elasticsearch?.kill();
    await elasticsearch?.start();
  },
];

const FULL = process.env.VITRINE_FULL === '1';
const ROUNDS = FULL ? 8 : 2;
const LENGTH = FULL ? 14 : 6;
/** The environment variable HISTORY_SEED repeats the histories of an earlier run. */
const SEED = process.env.HISTORY_SEED ? Number(process.env.HISTORY_SEED) : randomInt(2 ** 31 - 1);

describe(`random histories on the real engines (HISTORY_SEED=${SEED})`, () => {
  const actions = FULL ? [...ACTIONS, RESTART] : ACTIONS;
  // Every history contains a kill before all records are committed.
  const history = fc
    .tuple(
      fc.array(fc.constantFrom(...actions), { minLength: LENGTH - 1, maxLength: LENGTH - 1 }),
      fc.nat({ max: LENGTH - 1 }),
    )
    .map(([steps, at]): Action[] =>
      steps.toSpliced(at, 0, [
        'all projectors are killed before they have committed all records',
        killAmidRecords,
      ]),
    );

  for (const [round, steps] of fc.sample(history, { numRuns: ROUNDS, seed: SEED }).entries())
    it(`end with an index that equals the fold of the log: ${steps.map(([what]) => what).join(', ')}`, async () => {
      const deployment = await createDeployment('any', 3);
      const seed = SEED + 1_000 * round;
      const world: World = {
        deployment,
        published: [],
        delayed: [],
        projectors: [],
        seed,
        killsAmidRecords: 0,
      };
      try {
        start(world);
        await publish(world, produce(world));
        for (const [, act] of steps) await act(world);
        await publish(world, world.delayed.splice(0));
        if (world.projectors.length === 0) start(world);
        await world.deployment.caughtUp();
        await expectFold(world.deployment, world.published);
        expect(world.killsAmidRecords, 'kills before all records were committed').to.be.above(0);
      } finally {
        await Promise.all(world.projectors.map((projector) => projector.end('SIGKILL')));
        await world.deployment.close();
      }
    });
});
