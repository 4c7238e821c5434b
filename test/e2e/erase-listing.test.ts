import { generationNames } from '@vitrine/feed-index';
import { listingEvent, recordOf } from '@vitrine/fixtures';
import { type QueryService, startQueryService } from '@vitrine/query';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { PATIENT } from '../support/query-service.ts';
import { readTopic } from '../support/read-topic.ts';

const SECRET = 'Rua Secreta 4711';
/** Whether a text contains the secret, or the secret's slug, by which changes are filtered. */
const holdsSecret = (text: string) => text.includes(SECRET) || text.includes('rua-secreta-4711');
const ID = 'erased';
/** The responses that contain the content of every listing of this test. */
const FEEDS = ['/api/public-feed?pageSize=100', '/api/ai-feed?pageSize=100', '/api/export'];
const TIME = '2026-01-01T00:00:00Z';
const listing = (title: string, city: string) => ({
  title,
  price: 10,
  location: { city },
  url: 'https://vitrine.example/',
});

/** Follows docs/operate/runbook.md#erase-a-listing. */
describe('a listing that is erased by the steps of the runbook', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let query: QueryService;

  before(async () => {
    deployment = await createDeployment('erase', 2);
    projector = await runProjector(deployment);
    // The service has no cache, because a cached page could still contain the text after all steps.
    query = await startQueryService(
      { ...deployment.env, CACHE_BYTES: '0' },
      createLog('query', 'silent'),
      PATIENT,
    );
    const snapshot = (id: string, title: string, version = 1, city = 'Natal') =>
      recordOf(
        listingEvent(id, version, TIME, { type: 'snapshot', data: { listing: listing(title, city) } }),
      );
    await deployment.publish([
      ...Array.from({ length: 20 }, (_, n) => snapshot(`other-${n}`, 'Casa')),
      snapshot(ID, SECRET, 1, SECRET),
      snapshot(ID, `${SECRET} B`, 2, SECRET),
      { key: ID, value: `{"title": "${SECRET}` },
    ]);
    await deployment.caughtUp();
    expect((await cli(deployment, ['replay'])).code).to.equal(0);
    expect((await cli(deployment, ['verify', '2'])).code).to.equal(0);
    expect((await cli(deployment, ['switch', '2'])).code).to.equal(0);
  });
  after(async () => {
    await projector?.stop();
    await query?.stop();
    await deployment?.close();
  });

  /** The places in the page's table that contain the text. */
  const places = async (): Promise<string[]> => {
    const { client, prefix, env, topic, deadLetterTopic } = deployment;
    const found: string[] = [];
    for (const index of Object.keys(await client.indices.get({ index: `${prefix}-*` }))) {
      await client.indices.refresh({ index });
      for await (const document of client.helpers.scrollDocuments({ index }))
        if (holdsSecret(JSON.stringify(document))) found.push(index);
    }
    for (const name of [topic, deadLetterTopic])
      for (const { value } of await readTopic({ KAFKA_BROKERS: env.KAFKA_BROKERS as string }, name))
        if (value && holdsSecret(value.toString())) found.push(name);
    for (const path of [...FEEDS, '/api/changes']) {
      const response = await fetchAccepted(`http://127.0.0.1:${query.port}${path}`, {
        headers: { 'cache-control': 'no-cache' },
      });
      expect(response.status, path).to.equal(200);
      if (holdsSecret(await response.text())) found.push(path);
    }
    return [...new Set(found)].toSorted();
  };
  const deleteRecords = async (topic: string, last: { partition: number; offset: string }) => {
    // The client looks for the partition's leader only among the topics that it knows.
    await deployment.admin.fetchTopicOffsets(topic);
    await deployment.admin.deleteTopicRecords({
      topic,
      partitions: [{ partition: last.partition, offset: String(Number(last.offset) + 1) }],
    });
  };

  it('is in no place that the page calls erased, and does not come back', async () => {
    const { prefix, topic, deadLetterTopic } = deployment;
    expect(await places()).to.include.members([
      generationNames(prefix, 1).items,
      generationNames(prefix, 1).states,
      generationNames(prefix, 2).items,
      generationNames(prefix, 2).states,
      topic,
      deadLetterTopic,
      ...FEEDS,
    ]);

    // 1. The removal.
    await deployment.publish([recordOf(listingEvent(ID, 3, TIME, { type: 'removed', data: {} }))]);
    await deployment.caughtUp(undefined, 2);
    const { json } = await cli(deployment, ['explain', ID]);
    expect(json.summary).to.contain(`listing ${ID} is not in the feed: removed at version 3`);
    // 2. New indices.
    expect((await cli(deployment, ['replay', '--from', 'states'])).code).to.equal(0);
    expect((await cli(deployment, ['verify', '3'])).code).to.equal(0);
    expect((await cli(deployment, ['switch', '3'])).code).to.equal(0);
    // 3. Old generations.
    for (const number of ['1', '2']) expect((await cli(deployment, ['prune', number])).code).to.equal(0);
    // The city's slug stays in the changes indices of pruned generations as long as these indices are kept.
    const kept = [1, 2].map((number) => generationNames(prefix, number).changes);
    expect(await places()).to.deep.equal([...kept, topic, deadLetterTopic].toSorted());
    // 4. Dead letters.
    const letters = async () =>
      (await cli(deployment, ['dead-letters', 'list', '--key', ID, '--all'])).json.newest as {
        ref: string;
      }[];
    for (let [letter] = await letters(); letter; [letter] = await letters()) {
      const [partition, offset] = letter.ref.split(':');
      await deleteRecords(deadLetterTopic, { partition: Number(partition), offset: offset as string });
    }
    // 5. Events.
    const history = async () => {
      const { json: explained } = await cli(deployment, ['explain', ID, '--history']);
      return (explained.history as { newest: { partition: number; offset: string }[] }).newest;
    };
    const [newest] = (await history()).toSorted((one, other) => Number(other.offset) - Number(one.offset));
    await deleteRecords(topic, newest as { partition: number; offset: string });
    // 6. The check.
    expect(await places()).to.deep.equal(kept);
    expect(await history()).to.deep.equal([]);

    expect([...(await deployment.items()).keys()].toSorted()).to.deep.equal(
      Array.from({ length: 20 }, (_, n) => `other-${n}`).toSorted(),
    );
  });
});
