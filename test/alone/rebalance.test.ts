import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames } from '@vitrine/feed-index';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const event = (version: number, type: string, data: object, subject = 'a') =>
  JSON.stringify({
    specversion: '1.0',
    id: `e${version}`,
    source: '/test',
    type,
    subject,
    time: '2026-01-01T00:00:00Z',
    data: { version, ...data },
  });
const listing = { title: 'Casa', price: 1, location: { city: 'Curitiba' }, url: 'https://vitrine.example/' };

describe('several projectors', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  const running: ServiceProcess[] = [];
  const spawn = (env: Record<string, string> = {}) => {
    const projector = startService('projector', { ...deployment.env, ...env });
    running.push(projector);
    return projector;
  };

  beforeEach(async () => {
    deployment = await createDeployment('several', 3);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((projector) => projector.end('SIGKILL')));
    await proxy.close();
    await deployment.close();
  });

  /** The number of the group's members, or undefined during a rebalance. */
  async function members(): Promise<number | undefined> {
    const group = await deployment.admin.describeGroup(deployment.groupId);
    return group.state === 'Stable' ? group.members.length : undefined;
  }

  /** Holds the next write of states. `arrive` lets this write arrive in Elasticsearch. */
  function holdStateWrite(): { intercepted: Promise<void>; arrive(): Promise<void> } {
    let release: (verdict: Verdict) => void = () => undefined;
    let held: Buffer | undefined;
    const intercepted = new Promise<void>((resolve) => {
      proxy.hook = (step, moment, { body }) => {
        if (step !== 'write states' || moment !== 'before') return 'pass';
        // The proxy holds only this write.
        proxy.hook = () => 'pass';
        held = body;
        resolve();
        return new Promise<Verdict>((released) => {
          release = released;
        });
      };
    });
    const arrive = async () => {
      const arrived = new Promise<void>((resolve) => {
        proxy.hook = (_, moment, { body }) => {
          if (moment === 'after' && body === held) resolve();
          return 'pass';
        };
      });
      release('pass');
      await arrived;
    };
    return { intercepted, arrive };
  }

  /**
   * Holds a write of states and changes the group. The rebalance happens in the middle of the write's batch,
   * because the write is held until the group is stable with this number of members. The write arrives after
   * the group has caught up without it.
   */
  async function amidBatch(change: () => unknown, membersAfter: number): Promise<void> {
    const { intercepted, arrive } = holdStateWrite();
    await deployment.publish(share());
    await intercepted;
    await change();
    await eventually(`${membersAfter} members`, async () => (await members()) === membersAfter, 120_000);
    await deployment.caughtUp();
    await arrive();
  }

  const records = workload({ seed: 31, listings: 200, events: 12_000 });
  let published = 0;
  function share(): typeof records {
    const size = Math.ceil(records.length / 6);
    published += size;
    return records.slice(published - size, published);
  }

  it('can join and leave the group while a write of a batch is delayed', async () => {
    published = 0;
    const join = () => spawn({ ELASTICSEARCH_URL: proxy.url });
    await deployment.publish(share());
    join();
    await deployment.caughtUp();
    await amidBatch(join, 2);
    await amidBatch(join, 3);
    await amidBatch(() => running[0]?.end('SIGTERM'), 2);
    await amidBatch(() => running[1]?.end('SIGTERM'), 1);
    await amidBatch(join, 2);
    expect(published, 'published records').to.be.at.least(records.length);
    await deployment.caughtUp();
    await expectFold(deployment, records);
    for (const projector of running)
      if (projector.child.exitCode !== null) expect(projector.child.exitCode, projector.log()).to.equal(0);
  });

  it('create one generation if they start at the same time on an empty cluster', async () => {
    const records = workload({ seed: 32, listings: 50, events: 500 });
    await deployment.publish(records);
    spawn();
    spawn();
    await deployment.caughtUp();
    await expectFold(deployment, records);
    const indices = Object.keys(await deployment.client.indices.get({ index: `${deployment.prefix}-*` }));
    expect(indices.sort()).to.deep.equal(
      ['changes-1', 'changes-history', 'generations', 'items-1', 'states-1'].map(
        (name) => `${deployment.prefix}-${name}`,
      ),
    );
  });

  it('are not disturbed by a stale writer that wakes after Elasticsearch forgot a deletion that it missed', async () => {
    const { elasticsearch } = await engines();
    const published = { key: 'a', value: event(1, 'marketplace.listing.snapshot', { listing }) };
    const removed = { key: 'a', value: event(2, 'marketplace.listing.removed', {}) };

    // The stale writer has written the state of the complete listing. It is suspended before it receives the
    // response.
    const asleep = new Promise<void>((resolve) => {
      proxy.hook = (step, moment) => {
        if (step !== 'write states' || moment !== 'after') return 'pass';
        staleWriter.child.kill('SIGSTOP');
        resolve();
        return 'pass';
      };
    });
    const staleWriter = spawn({ ELASTICSEARCH_URL: proxy.url });
    await deployment.publish([published]);
    await asleep;
    const slept = Date.now();

    const owner = spawn();
    await deployment.publish([removed]);
    await deployment.caughtUp();
    expect((await deployment.items()).size).to.equal(0);
    // After a restart, Elasticsearch has forgotten the deletion. Without the restart, Elasticsearch would
    // remember the deletion for index.gc_deletes.
    await deployment.client.indices.flush({ index: generationNames(deployment.prefix, 1).items });
    await elasticsearch?.stop();
    await elasticsearch?.start();

    // After this long (`FENCE_HOLDS_MS`), the stale writer must discard its pending item writes.
    await sleep(Math.max(0, slept + 31_000 - Date.now()));
    let wrote = 0;
    proxy.hook = (step, moment) => {
      if (step === 'write items' && moment === 'after') wrote++;
      return 'pass';
    };
    staleWriter.child.kill('SIGCONT');
    // The stale writer joins the group again. The other projector stops, so that the stale writer finishes
    // all records before the test checks the result.
    await owner.end('SIGTERM');
    // This event belongs to another listing, because an event of the same listing would repair the item.
    const marker = { key: 'b', value: event(3, 'marketplace.listing.removed', {}, 'b') };
    await deployment.publish([marker]);
    await deployment.caughtUp();
    await eventually('the stale writer has finished', async () => wrote > 0);
    await sleep(2_000);
    await expectFold(deployment, [published, removed, marker]);
  });

  it('are not disturbed by a state write that arrives after its writer has died', async () => {
    const records = [{ key: 'a', value: event(1, 'marketplace.listing.snapshot', { listing }) }];
    const publish = async (version: number, changes: object) => {
      const record = { key: 'a', value: event(version, 'marketplace.listing.changed', { changes }) };
      records.push(record);
      await deployment.publish([record]);
    };
    await deployment.publish(records);
    const writer = spawn({ ELASTICSEARCH_URL: proxy.url });
    await deployment.caughtUp();

    const { intercepted, arrive } = holdStateWrite();
    await publish(2, { title: 'Casa nova' });
    await intercepted;
    await writer.end('SIGKILL');
    const next = spawn();
    await publish(3, { price: 2 });
    await deployment.caughtUp();
    await arrive();

    // The new projector has an empty cache, so it folds the next events into the stored state.
    await next.end('SIGTERM');
    spawn();
    await publish(4, { url: 'https://vitrine.example/4' });
    await deployment.caughtUp();
    await expectFold(deployment, records);
    expect((await deployment.items()).get('a')?.feed_item).to.include({ title: 'Casa nova', price: 2 });
  });
});
