import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';

const LISTINGS = 40;

describe('kafkajs#1679: a deployment with another topic joins the consumer group', () => {
  let first: Deployment;
  let second: Deployment;
  const projectors: RunningProjector[] = [];

  before(async () => {
    first = await createDeployment('shared-group', 4);
    second = await createDeployment('shared-group', 4);
  });
  after(async () => {
    for (const projector of projectors) await projector.stop();
    await first.close();
    await second.close();
  });

  it('ends with the name of the group, and the deployment that has the group reads every partition', async () => {
    const market = new MarketEvents();
    const events = Array.from({ length: LISTINGS }, (_, i) => market.snapshot(i + 1));
    const running = await runProjector(first);
    projectors.push(running);
    await first.publish(events.slice(0, 1));
    await first.caughtUp();
    const foreign = await runProjector(second, { CONSUMER_GROUP: first.env.CONSUMER_GROUP as string });
    projectors.push(foreign);
    expect((await foreign.failed).message)
      .to.include(`the consumer group ${first.groupId} also reads ${first.topic}`)
      .and.to.include('Set CONSUMER_GROUP');
    await foreign.stop();
    await first.publish(events);
    await first.caughtUp();
    await expectFold(first, events);
    expect(await running.reasons()).to.deep.equal([]);
  });
});
