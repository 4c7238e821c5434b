import { setTimeout as sleep } from 'node:timers/promises';
import { changeNumber, generationNames } from '@vitrine/feed-index';
import {
  explainListing,
  gatherStatus,
  listDeadLetters,
  renderDeadLetter,
  renderDeadLetters,
  renderExplanation,
  renderRetry,
  renderStatus,
  retryDeadLetters,
  showDeadLetter,
} from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { openCommandContext, type RunningProjector, runProjector } from '../support/in-process.ts';

describe('output for operators', () => {
  let deployment: Deployment;
  let operation: Awaited<ReturnType<typeof openCommandContext>>;
  let projector: RunningProjector | undefined;

  beforeEach(async () => {
    deployment = await createDeployment('operator', 2);
    operation = await openCommandContext(deployment);
  });
  afterEach(async () => {
    await projector?.stop();
    projector = undefined;
    await operation.close();
    await deployment.close();
  });

  const COMPLETE = {
    title: 'Casa',
    price: 1,
    location: { city: 'Curitiba' },
    url: 'https://vitrine.example/',
  };
  const event = (id: string, version: number, type: string, data: object, time = '2026-01-01T00:00:00Z') => ({
    key: id,
    value: JSON.stringify({
      specversion: '1.0',
      id: 'e',
      source: '/test',
      type: `marketplace.listing.${type}`,
      subject: id,
      time,
      data: { version, ...data },
    }),
  });
  const changed = (id: string, version: number, changes: object = COMPLETE, time?: string) =>
    event(id, version, 'changed', { changes }, time);
  const removed = (id: string, version: number) => event(id, version, 'removed', {});
  const groupsOfReaders = async () =>
    (await deployment.admin.listGroups()).filter((groupId) =>
      groupId.includes(`${deployment.prefix}-group-cli-`),
    );

  describe('status', () => {
    it('shows counts, reasons of hidden listings, the consumer group, dead letters and orphaned indices', async () => {
      await deployment.publish([
        ...['a', 'b', 'c'].map((id) => changed(id, 1)),
        changed('no-price', 1, { title: 'Casa' }),
        changed('no-title', 1, { price: 1 }),
        changed('gone', 1),
        removed('gone', 2),
        { key: 'poison', value: '{' },
      ]);
      projector = await runProjector(deployment);
      await deployment.caughtUp();
      const { client, prefix, topic } = deployment;
      await client.indices.refresh({ index: generationNames(prefix, 1).states });
      await client.indices.create({ index: generationNames(prefix, 9).items });
      const status = await gatherStatus(operation);
      expect(status).to.include({ prefix, topic });
      expect(status.generations).to.have.length(1);
      const [first] = status.generations;
      expect(first).to.deep.include({
        number: 1,
        role: 'live',
        phase: 'ready',
        origin: { from: 'topic' },
        items: 3,
        states: 6,
        hidden: { price: 1, title: 1, removed: 1 },
        groupId: deployment.groupId,
      });
      expect(first?.lag).to.deep.include({ records: 0, seconds: 0, capped: false });
      expect(first?.lag?.partitions.map(({ partition }) => partition)).to.deep.equal([0, 1]);
      expect(first?.members.map(({ clientId, partitions }) => ({ clientId, partitions }))).to.deep.equal([
        { clientId: 'vitrine', partitions: 2 },
      ]);
      expect(first?.sizeBytes?.total).to.be.above(0);
      expect(first?.ageSeconds).to.be.within(0, 120);
      expect(status.deadLetters).to.deep.equal({ topic: deployment.deadLetterTopic, records: 1 });
      expect(status.running).to.equal(undefined);
      // One listing was removed within its first chunk, so it was never in the feed.
      expect(status.changes).to.include({ epoch: 1, generation: 1, lastChange: changeNumber(1, 2) });
      expect(Date.parse(status.changes?.since ?? '')).to.be.within(Date.now() - 120_000, Date.now());
      expect(status.keptChanges).to.deep.equal([]);
      expect(status.orphanedIndices).to.deep.equal([generationNames(prefix, 9).items]);
      const text = renderStatus(status);
      expect(text)
        .to.contain(`last change number ${changeNumber(1, 2)}`)
        .and.to.contain('live')
        .and.to.contain('projector vitrine@')
        .and.to.contain(generationNames(prefix, 9).items);
    });

    it("shows a stopped projector's lag in records and seconds, and a missing index", async () => {
      projector = await runProjector(deployment);
      await deployment.publish([changed('a', 1)]);
      await deployment.caughtUp();
      await projector.stop();
      projector = undefined;
      // The client gives a record its timestamp before it sends the record.
      const since = Date.now();
      await deployment.publish([changed('a', 2)]);
      await sleep(4_000);
      await deployment.publish([changed('a', 3), changed('a', 4)]);
      const { generations } = await gatherStatus(operation);
      const atMost = (Date.now() - since) / 1_000 + 2;
      const lag = generations[0]?.lag;
      expect(lag).to.deep.include({ records: 3, capped: false });
      expect(lag?.seconds).to.be.within(4, atMost);
      expect(lag?.partitions.filter(({ records }) => records > 0)).to.have.length(1);
      expect(lag?.partitions.find(({ records }) => records === 0)?.seconds).to.equal(0);
      expect(generations[0]?.members).to.deep.equal([]);

      await deployment.client.indices.delete({ index: generationNames(deployment.prefix, 1).states });
      const after = await gatherStatus(operation);
      expect(after.generations[0]?.trouble).to.equal(
        `missing indices: ${generationNames(deployment.prefix, 1).states}`,
      );
      expect(after.generations[0]).not.to.have.property('items');
    });

    it('shows no generations before a projector has started for the first time', async () => {
      const status = await gatherStatus(operation);
      expect(status).to.deep.include({
        generations: [],
        orphanedIndices: [],
        deadLetters: { topic: deployment.deadLetterTopic, records: 0 },
      });
      expect((await explainListing(operation, 'a')).summary).to.contain('no generation is live');
      expect(await listDeadLetters(operation, { limit: 10, all: false })).to.deep.equal({
        total: 0,
        retried: 0,
        dismissed: 0,
        corrected: 0,
        byReason: {},
        causes: [],
        newest: [],
      });
    });
  });

  it('explains why a listing is or is not in the feed', async () => {
    const dates = [
      { date: '2020-01-01', available: true },
      { date: '2999-01-01', available: true, price: 5 },
      { date: '2999-01-02', available: false },
    ];
    await deployment.publish([
      changed('older', 1, COMPLETE, '2026-01-01T00:00:00Z'),
      changed('b', 1, COMPLETE, '2026-01-02T00:00:00Z'),
      changed('c', 1, COMPLETE, '2026-01-02T00:00:00Z'),
      event('c', 2, 'availability_changed', { dates }, '2026-01-03T00:00:00Z'),
      changed('c', 3, { title: 'Casa nova' }, '2026-01-03T00:00:00Z'),
      changed('newest', 1, COMPLETE, '2026-01-04T00:00:00Z'),
      changed('no-price', 1, { ...COMPLETE, price: 0 }),
      changed('gone', 6),
      removed('gone', 7),
      { key: 'poison', value: '{' },
      { key: 'b', value: '[]' },
    ]);
    projector = await runProjector(deployment);
    await deployment.caughtUp();

    const complete = await explainListing(operation, 'c');
    expect(complete).to.include({ found: true, summary: 'listing c is in the feed' });
    const [generation] = complete.generations;
    expect(generation).to.deep.include({ number: 1, role: 'live', agrees: true, position: { at: 3, of: 4 } });
    expect(generation?.state).to.deep.include({
      removed: 0,
      replaced: 0,
      firstSeen: '2026-01-02T00:00:00.000Z',
    });
    expect(generation?.state?.fields.title).to.deep.equal({ version: 3, value: 'Casa nova' });
    expect(generation?.state?.fields.price).to.deep.equal({ version: 1, value: 1 });
    expect(generation?.state?.calendar).to.include({ kept: 3, visible: 3, open: 1 });
    expect(generation?.item).to.include({
      publishedAt: '2026-01-02T00:00:00.000Z',
      calendarDates: 3,
      revision: generation?.state?.revision,
    });
    expect(generation?.item?.feedItem.title).to.equal('Casa nova');
    expect(generation?.change).to.include({ state: 'updated' });
    const { sequence = -1, changeNumber: number } = generation?.change ?? {};
    expect(number).to.equal(changeNumber(1, sequence));
    expect(renderExplanation(complete))
      .to.contain('position 3 of 4')
      .and.to.contain('"title": "Casa nova"')
      .and.to.match(new RegExp(`change: updated at \\S+, change number ${number}$`, 'm'));

    const lastDay = await openCommandContext(deployment, { env: { FEED_TODAY: '2019-12-31' } });
    expect((await explainListing(lastDay, 'c')).generations[0]?.state?.calendar).to.include({
      open: 2,
      today: '2019-12-31',
    });
    await lastDay.close();

    const incomplete = await explainListing(operation, 'no-price');
    expect(incomplete).to.include({
      found: true,
      summary: 'listing no-price is not in the feed: price (no price above 0)',
    });
    expect(incomplete.generations[0])
      .to.include({ hidden: 'price', agrees: true })
      .and.not.to.have.property('item');
    const gone = await explainListing(operation, 'gone');
    expect(gone.summary).to.equal('listing gone is not in the feed: removed at version 7');
    expect(gone.generations[0], 'never in the feed').not.to.have.property('change');

    const poisoned = await explainListing(operation, 'poison');
    expect(poisoned.found).to.equal(true);
    expect(poisoned.summary).to.contain('the listing has only dead letters (1)');
    expect(poisoned.deadLetters.newest.map(({ key, reason }) => [key, reason])).to.deep.equal([
      ['poison', 'not-json'],
    ]);
    expect((await explainListing(operation, 'b')).summary).to.equal(
      'listing b is in the feed, and 1 of its records is an open dead letter',
    );

    const unknown = await explainListing(operation, 'never');
    expect(unknown).to.include({
      found: false,
      summary: 'listing never is unknown, because no generation and no dead letter contains this listing id',
    });
    expect((await explainListing(operation, '')).found).to.equal(false);

    await deployment.client.delete({
      index: generationNames(deployment.prefix, 1).items,
      id: 'newest',
      version: 100,
      version_type: 'external',
    });
    expect((await explainListing(operation, 'newest')).summary).to.contain(
      'its item is missing, although its state is complete. Run verify --self',
    );
    expect(await groupsOfReaders()).to.deep.equal([]);
  });

  describe('dead letters', () => {
    it('are listed newest first, filtered, and shown with all their contents', async () => {
      await deployment.publish([{ key: 'a', value: '{', headers: { trace: Buffer.from([0xff]) } }]);
      projector = await runProjector(deployment);
      await deployment.caughtUp();
      await deployment.publish([
        { key: 'b', value: '[1]' },
        { key: Buffer.from([0xff]), value: Buffer.from([0xfe]) },
      ]);
      await deployment.caughtUp();
      const progress: number[] = [];
      const list = await listDeadLetters(operation, { limit: 10, all: false }, ({ done, total }) =>
        progress.push(done / total),
      );
      expect(list).to.deep.include({
        total: 3,
        retried: 0,
        byReason: { 'not-json': 1, 'not-an-object': 1, 'not-utf8': 1 },
      });
      expect(list.newest.at(-1)).to.include({ key: 'a', reason: 'not-json', retried: false });
      expect(progress.at(-1)).to.equal(1);
      expect(renderDeadLetters(list)).to.contain('3 dead letters').and.to.contain('base64:/w==');
      const one = await listDeadLetters(operation, { limit: 1, all: false });
      expect([one.total, one.newest.length]).to.deep.equal([3, 1]);
      const byReason = await listDeadLetters(operation, { reason: 'not-an-object', limit: 10, all: false });
      expect(byReason.newest.map(({ key }) => key)).to.deep.equal(['b']);
      expect((await listDeadLetters(operation, { key: 'a', limit: 10, all: false })).total).to.equal(1);
      expect((await listDeadLetters(operation, { key: 'z', limit: 10, all: false })).total).to.equal(0);

      const deadLetter = await showDeadLetter(operation, String(list.newest.at(-1)?.ref));
      expect(deadLetter).to.deep.include({
        key: 'a',
        value: { text: '{' },
        headers: { trace: { base64: '/w==' } },
        retried: false,
        retryable: true,
      });
      expect(deadLetter.origin).to.deep.include({ topic: deployment.topic, offset: '0' });
      expect(renderDeadLetter(deadLetter)).to.contain('not-json');
      const bytes = list.newest.find(({ key }) => key === 'base64:/w==');
      expect((await showDeadLetter(operation, String(bytes?.ref))).value).to.deep.equal({ base64: '/g==' });
      for (const ref of ['0:999', '7:0', 'x']) {
        const failure = await showDeadLetter(operation, ref).catch((error: Error) => error);
        expect(failure, ref).to.have.property('name', 'DeadLetterError');
      }
      expect(await groupsOfReaders()).to.deep.equal([]);
    });

    it('are sent again only once, and only if the current code accepts them', async () => {
      await deployment.publish([
        { key: 'broken', value: '{' },
        { key: 'broken', value: '[]' },
      ]);
      projector = await runProjector(deployment);
      await deployment.caughtUp();
      // Older code refused this record, but the current code accepts it. It has two dead letters, because a
      // replay wrote one more.
      const fixed = changed('fixed', 1);
      const headers = {
        trace: 't-1',
        'dead-letter-reason': 'refused-by-index',
        'dead-letter-detail': 'too narrow',
        'dead-letter-topic': deployment.topic,
        'dead-letter-partition': '0',
        'dead-letter-offset': '1000000',
        'dead-letter-time': '2026-01-01T00:00:00.000Z',
      };
      const whole = {
        key: null,
        value: 'x',
        headers: { ...headers, 'dead-letter-reason': 'batch-too-large', 'dead-letter-offset': '1000001' },
      };
      await operation.producer.send({
        topic: deployment.deadLetterTopic,
        messages: [{ ...fixed, headers }, { ...fixed, headers }, whole],
      });

      const dry = await retryDeadLetters(operation, { dryRun: true });
      expect(dry).to.include({
        dryRun: true,
        sent: 1,
        alreadyRetried: 0,
        stillRefusedTotal: 2,
        notRetryableTotal: 1,
      });
      expect((await listDeadLetters(operation, { limit: 10, all: false })).total).to.equal(4);
      const nothing = await retryDeadLetters(operation, { reason: 'schema', dryRun: false });
      expect(nothing).to.include({ sent: 0, stillRefusedTotal: 0, notRetryableTotal: 0 });

      const result = await retryDeadLetters(operation, { dryRun: false });
      expect(result).to.include({
        dryRun: false,
        sent: 1,
        alreadyRetried: 0,
        stillRefusedTotal: 2,
        notRetryableTotal: 1,
      });
      expect(result.stillRefused.map(({ key, reason }) => [key, reason])).to.have.deep.members([
        ['broken', 'not-json'],
        ['broken', 'not-an-object'],
      ]);
      expect(renderRetry(result)).to.contain('1 sent again');
      await deployment.caughtUp();
      expect([...(await deployment.items()).keys()]).to.deep.equal(['fixed']);

      const after = await listDeadLetters(operation, { limit: 10, all: false });
      expect(after).to.include({ total: 3, retried: 1 });
      expect(after.newest.map(({ key }) => key)).not.to.include('fixed');
      const all = await listDeadLetters(operation, { key: 'fixed', limit: 10, all: true });
      expect(all.newest.map(({ retried }) => retried)).to.deep.equal([true]);
      const ref = String(all.newest[0]?.ref);
      expect((await showDeadLetter(operation, ref)).retried).to.equal(true);

      const ends = async () =>
        (await deployment.admin.fetchTopicOffsets(deployment.topic)).map(({ high }) => high).sort();
      const before = await ends();
      expect(await retryDeadLetters(operation, { dryRun: false })).to.include({
        sent: 0,
        alreadyRetried: 1,
        stillRefusedTotal: 2,
      });
      expect(await retryDeadLetters(operation, { ref, dryRun: false })).to.include({
        sent: 0,
        alreadyRetried: 1,
        stillRefusedTotal: 0,
      });
      expect(await ends()).to.deep.equal(before);
      expect(await groupsOfReaders()).to.deep.equal([]);
    });

    it('that the index rejected can be retried, and become dead letters again while the index rejects them', async () => {
      // An inspection of the settings would stop the projector before it can write a dead letter.
      projector = await runProjector(deployment, {}, { inspectEvery: 3_600_000 });
      const { client, prefix } = deployment;
      const limit = (most: number) =>
        client.indices.putSettings({
          index: generationNames(prefix, 1).items,
          settings: { 'index.mapping.nested_objects.limit': most },
        });
      await limit(1);
      // Two prices need two nested documents.
      const dates = ['2999-01-01', '2999-01-02'].map((date, i) => ({ date, available: true, price: 1 + i }));
      const calendar = event('a', 2, 'availability_changed', { dates });
      await deployment.publish([changed('a', 1), { ...calendar, headers: { trace: ['x', 'y'] } }]);
      await deployment.caughtUp();
      const list = () => listDeadLetters(operation, { reason: 'refused-by-index', limit: 10, all: false });
      const refused = (await list()).total;
      expect(refused).to.be.within(1, 2);
      expect(await retryDeadLetters(operation, { reason: 'refused-by-index', dryRun: false })).to.include({
        sent: refused,
      });
      await deployment.caughtUp();
      expect(await list()).to.include({ total: refused, retried: refused });
      const { newest } = await list();
      const shown = await Promise.all(newest.map(({ ref }) => showDeadLetter(operation, ref)));
      const again = shown.find(({ headers }) => headers.trace);
      expect(again?.headers).to.deep.equal({ trace: [{ text: 'x' }, { text: 'y' }] });
      expect(again?.value).to.deep.equal({ text: calendar.value });

      await limit(10_000);
      const deadLetter = newest.find(({ ref }) => ref === again?.ref);
      expect(await retryDeadLetters(operation, { ref: String(deadLetter?.ref), dryRun: false })).to.include({
        sent: 1,
      });
      await deployment.caughtUp();
      expect((await deployment.items()).get('a')?.calendar).to.have.length(2);
      const rest = await retryDeadLetters(operation, { key: 'a', dryRun: false });
      expect(rest.sent + rest.alreadyRetried).to.equal(2 * refused);
      await deployment.caughtUp();
      expect((await list()).total).to.equal(0);
    });

    it('can be listed past control records, and an interrupted command leaves no consumer group', async () => {
      projector = await runProjector(deployment);
      await deployment.publish([{ key: 'a', value: '{' }]);
      await deployment.caughtUp();
      const producer = deployment.kafka.producer({ transactionalId: deployment.prefix, idempotent: true });
      await producer.connect();
      const [deadLetter] = (await listDeadLetters(operation, { limit: 1, all: false })).newest;
      const partition = Number(deadLetter?.ref.split(':')[0]);
      // After the abort, the other partition contains no record that a consumer would receive.
      for (const [end, at] of [
        ['commit', partition],
        ['abort', 1 - partition],
      ] as const) {
        const transaction = await producer.transaction();
        await transaction.send({
          topic: deployment.deadLetterTopic,
          messages: [{ partition: at, key: 'b', value: '{' }],
        });
        await transaction[end]();
      }
      await producer.disconnect();
      // Five records: the dead letter, and two records with the control records that end their transactions.
      // Kafka writes a control record shortly after it acknowledges the transaction.
      while ((await gatherStatus(operation)).deadLetters.records < 5) await sleep(50);
      expect((await listDeadLetters(operation, { limit: 10, all: false })).byReason).to.deep.equal({
        'not-json': 1,
        unknown: 1,
      });

      const interruption = new AbortController();
      const interrupted = await openCommandContext(deployment, { signal: interruption.signal });
      const failure = await listDeadLetters(interrupted, { limit: 10, all: false }, () =>
        interruption.abort(new Error('enough')),
      ).catch((error: Error) => error);
      expect(failure).to.be.an('error').with.property('message', 'enough');
      await interrupted.close();
      expect(await groupsOfReaders()).to.deep.equal([]);
    });
  });
});
