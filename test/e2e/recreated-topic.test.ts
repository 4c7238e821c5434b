import { generationNames } from '@vitrine/feed-index';
import { readOffsets, startAt } from '@vitrine/kafka';
import { listDeadLetters, retryDeadLetters, showDeadLetter } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment, recreateTopic } from '../support/deployment.ts';
import { openCommandContext, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

/** A record with two prices. It needs two nested documents, which the narrowed mapping rejects. */
const record = (id: string) => ({
  key: id,
  value: JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source: '/test',
    type: 'marketplace.listing.snapshot',
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: {
      version: 1,
      listing: {
        title: `Casa ${id}`,
        price: 1,
        location: { city: 'Curitiba' },
        url: 'https://vitrine.example/',
        availability: ['2999-01-01', '2999-01-02'].map((date, i) => ({
          date,
          available: true,
          price: 100 + i,
        })),
      },
    },
  }),
});

describe('a recreated events topic with old dead letters', () => {
  let deployment: Deployment;
  let operation: Awaited<ReturnType<typeof openCommandContext>>;
  let projector: RunningProjector | undefined;

  beforeEach(async () => {
    deployment = await createDeployment('recreated', 1);
    operation = await openCommandContext(deployment);
    projector = await runProjector(deployment);
  });
  afterEach(async () => {
    await projector?.stop();
    projector = undefined;
    await operation.close();
    await deployment.close();
  });

  const limitDates = (most: number) =>
    deployment.client.indices.putSettings({
      index: generationNames(deployment.prefix, 1).items,
      settings: { 'index.mapping.nested_objects.limit': most },
    });

  async function recreate(): Promise<void> {
    await projector?.stop();
    projector = undefined;
    await recreateTopic(deployment, 1);
    projector = await runProjector(deployment);
  }

  async function refuse(id: string): Promise<void> {
    const before = (await list(true)).total;
    await deployment.publish([record(id)]);
    await deployment.caughtUp();
    expect((await list(true)).total, `dead letters after ${id}`).to.equal(before + 1);
  }
  const list = (all = false) => listDeadLetters(operation, { limit: 10, all });
  const keys = async (all = false) =>
    (await list(all)).newest.map(({ key, retried, origin }) => ({ key, retried, offset: origin.offset }));
  const visible = async () => [...(await deployment.items()).keys()].sort();

  it('lists and retries a new dead letter although a retried dead letter has the same position', async () => {
    await limitDates(1);
    await refuse('old');
    await limitDates(10_000);
    expect(await retryDeadLetters(operation, { dryRun: false })).to.include({ sent: 1, alreadyRetried: 0 });
    await deployment.caughtUp();
    expect(await visible()).to.deep.equal(['old']);
    expect(await keys()).to.deep.equal([]);

    await recreate();
    await limitDates(1);
    await refuse('new');
    expect(await keys()).to.deep.equal([{ key: 'new', retried: false, offset: '0' }]);
    expect(await keys(true)).to.deep.equal([
      { key: 'new', retried: false, offset: '0' },
      { key: 'old', retried: true, offset: '0' },
    ]);
    const [deadLetter] = (await list()).newest;
    expect(await showDeadLetter(operation, String(deadLetter?.ref))).to.include({
      retried: false,
      retryable: true,
    });

    await limitDates(10_000);
    expect(await retryDeadLetters(operation, { dryRun: false })).to.include({ sent: 1, alreadyRetried: 1 });
    await deployment.caughtUp();
    expect(await visible()).to.deep.equal(['new', 'old']);
    expect(await keys()).to.deep.equal([]);
  });

  it('lists a new dead letter although a retried dead letter has the same position and the same bytes', async () => {
    await limitDates(1);
    await refuse('same');
    await limitDates(10_000);
    expect(await retryDeadLetters(operation, { dryRun: false })).to.include({ sent: 1, alreadyRetried: 0 });
    await deployment.caughtUp();

    await recreate();
    await limitDates(1);
    await deployment.client.delete({ index: generationNames(deployment.prefix, 1).states, id: 'same' });
    await deployment.client.delete({ index: generationNames(deployment.prefix, 1).items, id: 'same' });
    await refuse('same');
    expect(await keys()).to.deep.equal([{ key: 'same', retried: false, offset: '0' }]);
  });

  it('lists and retries both an old and a new dead letter at the same position', async () => {
    await limitDates(1);
    await refuse('old');
    // A starting projector does not write to an index whose limit is too low (docs/decisions/0084).
    await limitDates(10_000);
    await recreate();
    await limitDates(1);
    await refuse('new');
    expect(await keys()).to.deep.equal([
      { key: 'new', retried: false, offset: '0' },
      { key: 'old', retried: false, offset: '0' },
    ]);
    await limitDates(10_000);
    expect(await retryDeadLetters(operation, { dryRun: false })).to.include({ sent: 2, alreadyRetried: 0 });
    await deployment.caughtUp();
    expect(await visible()).to.deep.equal(['new', 'old']);
  });

  it('a start that a member of the group prevents names the member instead of a state of Kafka', async () => {
    const { admin, groupId, topic } = deployment;
    await eventually(
      'the projector is a member',
      async () => (await admin.describeGroup(groupId)).members.length === 1,
    );
    const offsets = await readOffsets(admin, groupId, topic);
    const refusal = await startAt(admin, groupId, topic, offsets, ({ low }) => low).catch(
      ({ message }: Error) => message,
    );
    expect(refusal).to.include(`group ${groupId} must start again in ${topic}, but another process`);
    await projector?.stop();
    projector = undefined;
    await startAt(admin, groupId, topic, offsets, ({ low }) => low);
    expect((await readOffsets(admin, groupId, topic))[0]?.committed).to.equal(0n);
  });
});
