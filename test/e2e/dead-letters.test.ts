import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { startService } from '../support/service-process.ts';

describe('dead letters', () => {
  let deployment: Deployment;
  let projector: RunningProjector | undefined;

  beforeEach(async () => {
    deployment = await createDeployment('letters', 1);
  });
  afterEach(async () => {
    await projector?.stop();
    projector = undefined;
    await deployment.close();
  });

  const listing = (
    id: string,
    version: number,
    changes: object = {
      title: 'Casa',
      price: 1,
      location: { city: 'Curitiba' },
      url: 'https://vitrine.example/',
    },
  ): string =>
    JSON.stringify({
      specversion: '1.0',
      id: 'e',
      source: '/test',
      type: 'marketplace.listing.changed',
      subject: id,
      time: '2026-01-01T00:00:00Z',
      data: { version, changes },
    });

  it('keep key, value and headers byte for byte, contain reason and origin, and do not affect other records', async () => {
    const poison: Published[] = [
      {
        key: Buffer.from([0xff, 0xfe]),
        value: Buffer.from([0x00, 0xff]),
        headers: { 'x-trace': Buffer.from([1, 2]) },
      },
      { key: 'a', value: 'x'.repeat(1024 * 1024 + 1) },
      { key: 'a', value: 'y'.repeat(4_000_000) },
      { key: null, value: null },
      { key: 'a', value: null },
      { key: 'a', value: `${'['.repeat(50_000)}${']'.repeat(50_000)}` },
      { key: 'a', value: '' },
    ];
    const records = [
      { key: 'good-1', value: listing('good-1', 1) },
      ...poison,
      { key: 'good-2', value: listing('good-2', 1) },
      { key: 'good-1', value: null, headers: { version: '2' } },
    ];
    for (const record of records) await deployment.publish([record]);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    await expectFold(deployment, records);
    expect([...(await deployment.items()).keys()]).to.deep.equal(['good-2']);

    const deadLetters = (await deployment.deadLetters()).sort(
      (a, b) => Number(a.headers?.['dead-letter-offset']) - Number(b.headers?.['dead-letter-offset']),
    );
    expect(deadLetters.map(({ headers }) => String(headers?.['dead-letter-reason']))).to.deep.equal([
      'not-utf8',
      'too-large',
      'too-large',
      'tombstone-without-version',
      'tombstone-without-version',
      'too-deep',
      'not-json',
    ]);
    for (const [i, deadLetter] of deadLetters.entries()) {
      const { key, value, headers } = poison[i] as Published;
      expect(deadLetter.key, `key ${i}`).to.deep.equal(key === null ? null : Buffer.from(key));
      expect(
        deadLetter.value === null
          ? null
          : Buffer.compare(deadLetter.value as Buffer, Buffer.from(value ?? '')),
        `value ${i}`,
      ).to.equal(value === null ? null : 0);
      expect(deadLetter.headers).to.include.keys(
        'dead-letter-detail',
        'dead-letter-time',
        'dead-letter-partition',
      );
      if (headers) expect(deadLetter.headers?.['x-trace']).to.deep.equal(headers['x-trace']);
    }
  });

  it('can have large headers, even if one batch yields thousands of dead letters', async () => {
    const producer = deployment.kafka.producer();
    await producer.connect();
    const poison = Array.from({ length: 3_000 }, (_, i) => ({
      key: 'a',
      value: `${i % 10}`,
      headers: { trace: `${i}`.padEnd(600, 'x') },
    }));
    await producer.send({
      topic: deployment.topic,
      compression: 'gzip',
      messages: poison,
    });
    await producer.disconnect();
    const good = [{ key: 'good', value: listing('good', 1) }];
    await deployment.publish(good);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    await expectFold(deployment, [...poison, ...good]);
  });

  it('can be repaired and published again at any time', async () => {
    const broken = listing('a', 1).replace('"price":1', '"price":"1"');
    const records: Published[] = [
      { key: 'a', value: broken },
      { key: 'a', value: listing('a', 2, { title: 'Casa nova' }) },
    ];
    await deployment.publish(records);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    expect((await deployment.items()).size).to.equal(0);
    const repaired = [{ key: 'a', value: listing('a', 1) }];
    await deployment.publish(repaired);
    await deployment.caughtUp();
    await expectFold(deployment, [...records, ...repaired]);
    expect((await deployment.items()).get('a')?.feed_item.title).to.equal('Casa nova');
  });

  it('are written for versions above MAX_VERSION, even by a later replay, until the bound is raised', async () => {
    const env = { MAX_VERSION: 'now+1d' };
    const HOUR = 3_600_000;
    const now = Date.now();
    const old = String(now - 48 * HOUR);
    const burned = String(Number.MAX_SAFE_INTEGER);
    await deployment.publish([
      { key: 'a', value: listing('a', now) },
      { key: 'a', value: listing('a', Number(burned), { title: 'Burned' }) },
      { key: 'a', value: null, headers: { version: burned, 'version-epoch': '1' } },
      { key: 'b', value: listing('b', now - 30 * HOUR), timestamp: old },
      // Today, the bound would allow this version. Two days ago, it did not.
      { key: 'c', value: listing('c', now - 12 * HOUR), timestamp: old },
    ]);
    projector = await runProjector(deployment, env);
    await deployment.caughtUp();
    expect([...(await deployment.items()).keys()].sort()).to.deep.equal(['a', 'b']);
    const reasons = (await deployment.deadLetters()).map(({ headers }) =>
      String(headers?.['dead-letter-reason']),
    );
    expect(reasons).to.deep.equal(Array(3).fill('version-too-high'));

    expect((await cli(deployment, ['replay', '--from', 'topic'], { env })).code).to.equal(0);
    const rebuilt = await deployment.items(2);
    expect([...rebuilt.keys()].sort()).to.deep.equal(['a', 'b']);
    expect(await deployment.deadLetterCount()).to.equal(3);

    const retry = ['dead-letters', 'retry', '--reason', 'version-too-high'];
    const first = await cli(deployment, retry, { env });
    expect(first.json).to.include({ sent: 1, stillRefusedTotal: 2 });
    await deployment.caughtUp();
    expect((await deployment.items()).has('c')).to.equal(true);
    await projector.stop();
    projector = await runProjector(deployment);
    const second = await cli(deployment, retry);
    expect(second.json).to.include({ sent: 2, alreadyRetried: 1, stillRefusedTotal: 0 });
    await deployment.caughtUp();
    expect((await deployment.items()).has('a')).to.equal(false);
  });

  it('are also written for documents that the index rejects, and other documents are unaffected', async () => {
    // An inspection of the settings would stop the projector before it can write a dead letter.
    projector = await runProjector(deployment, {}, { inspectEvery: 3_600_000 });
    // Elasticsearch accepts every document that a correct mapping allows. A narrower mapping simulates a bug
    // in the mapping.
    const { client, prefix } = deployment;
    await client.indices.putSettings({
      index: `${prefix}-items`,
      settings: { 'index.mapping.nested_objects.limit': 1 },
    });
    // An item has one nested document per price.
    const dates = ['2026-12-01', '2026-12-02'].map((date, i) => ({ date, available: true, price: 100 + i }));
    const calendar = JSON.stringify({
      ...JSON.parse(listing('a', 2)),
      type: 'marketplace.listing.availability_changed',
      data: { version: 2, dates },
    });
    await deployment.publish([
      { key: 'a', value: listing('a', 1) },
      { key: 'a', value: calendar },
      { key: 'b', value: listing('b', 1) },
    ]);
    await deployment.caughtUp();
    expect([...(await deployment.items()).keys()]).to.deep.equal(['b']);
    const deadLetters = await deployment.deadLetters();
    expect(deadLetters.map(({ headers }) => String(headers?.['dead-letter-reason']))).to.deep.equal([
      'refused-by-index',
      'refused-by-index',
    ]);
    expect(String(deadLetters[0]?.headers?.['dead-letter-detail'])).to.match(/nested documents/);
  });

  it('stop the projector if they cannot be written, before it commits the offset of their record', async () => {
    const good = workload({ seed: 41, listings: 20, events: 100, poison: 0 });
    await deployment.publish(good);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    await projector.stop();
    projector = undefined;
    const { admin, topic, deadLetterTopic, groupId } = deployment;
    await admin.setTopicSettings(deadLetterTopic, { 'max.message.bytes': '1' });
    const committed = async () =>
      (await admin.fetchOffsets({ groupId, topics: [topic] }))[0]?.partitions[0]?.offset;
    const before = await committed();
    await deployment.publish([{ key: 'a', value: 'poison' }]);
    const stopped = startService('projector', deployment.env);
    expect(await stopped.exited).to.equal(1);
    expect(stopped.log()).to.contain(`could not write to the dead-letter topic ${deadLetterTopic}`);
    expect(await committed()).to.equal(before);

    await admin.setTopicSettings(deadLetterTopic, { 'max.message.bytes': '1000000' });
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    await expectFold(deployment, [...good, { key: 'a', value: 'poison' }]);
  });
});
