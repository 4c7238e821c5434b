import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, type Step, startFaultProxy } from '../support/fault-proxy.ts';
import { IndexFollower } from '../support/index-follower.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

/** The steps of a batch at which the process dies: before or after a request to Elasticsearch. */
const STEPS: [step: Step, moment: 'before' | 'after'][] = [
  ['write entries', 'before'],
  ['write items', 'after'],
  ['write entries', 'after'],
  ['write items', 'before'],
  ['write states', 'after'],
];
const KILLS = process.env.VITRINE_FULL === '1' ? 24 : 5;
const LISTINGS = 200;
const EVENTS_PER_KILL = 1_200;

describe('a follower of the changes', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  const running: ServiceProcess[] = [];
  const start = () => {
    const projector = startService('projector', { ...deployment.env, ELASTICSEARCH_URL: proxy.url });
    running.push(projector);
    return projector;
  };
  const createFollower = () => new IndexFollower(deployment.client, deployment.prefix);
  const expectFeed = async (follower: IndexFollower, which: string) => {
    await follower.follow();
    const items = new Map([...(await deployment.items())].map(([id, item]) => [id, JSON.stringify(item)]));
    expect([...follower.items].sort(), which).to.deep.equal([...items].sort());
  };

  beforeEach(async () => {
    deployment = await createDeployment('changes-kills', 3);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((projector) => projector.end('SIGKILL')));
    await proxy.close();
    await deployment.close();
  });

  it(`holds the feed after ${KILLS} kills of the projector, most of them between item and entry`, async () => {
    const records = workload({ seed: 20, listings: LISTINGS, events: KILLS * EVENTS_PER_KILL });
    const share = Math.ceil(records.length / KILLS);
    const first = createFollower();
    const followers = [first];
    for (let kill = 0; kill < KILLS; kill++) {
      await deployment.publish(records.slice(kill * share, (kill + 1) * share));
      const [step, moment] = STEPS[kill % STEPS.length] as (typeof STEPS)[number];
      // Some kills hit the first chunk after a start, others a later chunk.
      let skip = kill % 3;
      const died = new Promise<void>((resolve) => {
        proxy.hook = (at, when) => {
          if (at !== step || when !== moment || skip-- > 0) return 'pass';
          proxy.hook = () => 'cut';
          void projector.end('SIGKILL').then(() => resolve());
          return 'cut';
        };
      });
      const projector = start();
      await died;
      await deployment.removeMembers();
      await first.follow();
      // An export may contain an item that has no entry yet.
      const late = createFollower();
      await late.export();
      followers.push(late);
    }
    proxy.hook = () => 'pass';
    start();
    await deployment.caughtUp();
    await expectFold(deployment, records);
    for (const [i, follower] of followers.entries()) await expectFeed(follower, `follower ${i}`);
  });

  it('holds the feed after projectors have joined, left and died', async () => {
    const records = workload({ seed: 21, listings: LISTINGS, events: 5 * EVENTS_PER_KILL });
    const share = Math.ceil(records.length / 5);
    const publish = (part: number) => deployment.publish(records.slice(part * share, (part + 1) * share));
    const members = async () => {
      const group = await deployment.admin.describeGroup(deployment.groupId);
      return group.state === 'Stable' ? group.members.length : undefined;
    };
    const follower = createFollower();
    let isEnding = false;
    await publish(0);
    const one = start();
    await deployment.caughtUp();
    const following = (async () => {
      while (!isEnding) await follower.follow(100);
    })();
    const two = start();
    await publish(1);
    await eventually('two members', async () => (await members()) === 2, 120_000);
    await publish(2);
    await one.end('SIGKILL');
    await publish(3);
    const three = start();
    await deployment.caughtUp();
    await two.end('SIGTERM');
    await publish(4);
    await deployment.caughtUp();
    isEnding = true;
    await following;
    await expectFold(deployment, records);
    await expectFeed(follower, 'the follower');
    await three.end('SIGTERM');
  });
});
