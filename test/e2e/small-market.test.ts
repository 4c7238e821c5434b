import { EXPECTED, listingEvent, POISON, RECORDS, recordOf, SKIPPED, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';

describe('from listing events to the feeds', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let feed: Feed;

  before(async () => {
    deployment = await createDeployment('small');
    await deployment.publish(RECORDS);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    feed = await startFeed(deployment, { FEED_TODAY: TODAY });
  });
  after(async () => {
    await feed.stop();
    await projector.stop();
    await deployment.close();
  });

  it('the agent feed contains exactly the expected items in order', async () =>
    expect(await feed.crawl('/ai-feed')).to.deep.equal(EXPECTED));
  it('the public feed contains the same items without availability', async () =>
    expect(await feed.crawl('/public-feed')).to.deep.equal(
      EXPECTED.map(({ availability: _, ...item }) => item),
    ));
  it('each type has its own feed, and an item without a type is in no such feed', async () => {
    for (const [type, ids] of [
      ['rent', ['studio']],
      ['rental', ['studio']],
      ['sale', ['house-a', 'house-b']],
      ['service', []],
    ] as const)
      expect((await feed.crawl(`/ai-feed/${type}`)).map(({ id }) => id)).to.deep.equal(ids);
  });
  it('unreadable records become dead letters, events of unknown types are skipped, and both are counted', async () => {
    expect(await deployment.deadLetters()).to.have.length(POISON);
    expect(await projector.metric('projector_dead_letters_total')).to.equal(
      await deployment.deadLetterCount(),
    );
    expect(await projector.metric('projector_skipped_total')).to.equal(SKIPPED);
  });
  it('Newtonsoft.Json#1188: a time that leaves the year 9999 in UTC is a dead letter, and no feed serves it', async () => {
    const far = '9999-12-31T23:59:59-03:00';
    const content = { type: 'changed', data: { changes: { published_at: far } } };
    const early = { type: 'changed', data: { changes: { title: 'Far' } } };
    await deployment.publish([
      recordOf(listingEvent('studio', 8, '2026-11-01T12:00:00Z', content)),
      recordOf(listingEvent('studio', 9, far, early)),
    ]);
    await deployment.caughtUp();
    expect(await deployment.deadLetters()).to.have.length(POISON + 2);
    const response = await fetchAccepted(`${feed.base}/changes?limit=100`);
    const { items } = (await response.json()) as { items: { data?: { published_at: string } }[] };
    const times = items.flatMap(({ data }) => (data ? [data.published_at] : []));
    expect(times).to.have.length(EXPECTED.length);
    for (const time of times) expect(time).to.match(/^\d{4}-/);
  });
});
