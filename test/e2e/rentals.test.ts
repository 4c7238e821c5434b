import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { hiddenByReason } from '../support/expected-contents.ts';
import { startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { hasRentals, RENTALS, RENTALS_TODAY, readRentals } from '../support/rentals.ts';
import { startService } from '../support/service-process.ts';

interface Expected {
  ad_type: string;
  city_slug: string;
  item: { availability: { date: string; available: boolean }[] } & Record<string, unknown>;
}

describe('real rentals in their original order', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let feed: Feed;
  let records: Published[];
  let expected: Expected[];

  before(async function () {
    if (!hasRentals) {
      process.stderr.write(
        `# skipped: ${RENTALS} is missing, so the feed cannot be compared with the real rentals\n`,
      );
      this.skip();
    }
    records = readRentals<Published>('events');
    expected = readRentals<Expected>('expected');
    deployment = await createDeployment('rentals');
    await deployment.publish(records);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    feed = await startFeed(deployment, { FEED_TODAY: RENTALS_TODAY });
  });
  after(async () => {
    await feed?.stop();
    await projector?.stop();
    await deployment?.close();
  });

  const items = (which: (entry: Expected) => boolean = () => true) =>
    expected.filter(which).map(({ item }) => item);
  const isOpen = ({ item }: Expected, date: string) =>
    item.availability.some((entry) => entry.date === date && entry.available);

  it('the agent feed, crawled page by page, contains exactly the expected 1,423 items in order', async () => {
    const crawled = await feed.crawl('/ai-feed');
    expect(crawled).to.have.length(1423);
    expect(crawled).to.deep.equal(items());
  });

  it('the public feed contains the same items without availability', async () =>
    expect(await feed.crawl('/public-feed', { pageSize: '77' })).to.deep.equal(
      items().map(({ availability: _, ...item }) => item),
    ));

  for (const type of ['rent', 'rental', 'sale', 'service'])
    it(`the feed of type ${type} contains exactly the expected items`, async () =>
      expect(await feed.crawl(`/ai-feed/${type}`)).to.deep.equal(
        items((entry) => entry.ad_type === type.replace('rental', 'rent')),
      ));

  for (const [city, slug] of [
    ['santa-cruz', 'santa-cruz'],
    ['SÁNTA  Crüz', 'santa-cruz'],
    ['APTOS', 'aptos'],
    ['La Selva Beach', 'la-selva-beach'],
    ['la-selva-beach', 'la-selva-beach'],
  ] as const)
    it(`the filter by city ${city} returns exactly the expected items`, async () => {
      const found = items((entry) => entry.city_slug === slug);
      expect(found).to.have.length.above(20);
      expect(await feed.crawl('/ai-feed', { city })).to.deep.equal(found);
      expect(await feed.crawl('/ai-feed', { cidade: city })).to.deep.equal(found);
    });

  for (const date of ['2026-12-05', '2027-01-15'])
    it(`the filter by date ${date} returns exactly the items available on that date, with no other dates`, async () => {
      const found = expected.filter((entry) => isOpen(entry, date));
      expect(found).to.have.length.above(100);
      const narrowed = found.map(({ item }) => ({
        ...item,
        availability: item.availability.filter((entry) => entry.date === date),
      }));
      expect(await feed.crawl('/ai-feed', { date })).to.deep.equal(narrowed);
    });

  it('there are 19 dead letters with unchanged bytes, 5 skipped records, and hidden listings by reason', async () => {
    const deadLetters = await deployment.deadLetters();
    expect(deadLetters).to.have.length(19);
    const sent = new Set(records.map(({ key, value }) => `${key}\n${value}`));
    for (const { key, value } of deadLetters)
      expect(sent.has(`${key?.toString() ?? null}\n${value?.toString() ?? null}`)).to.equal(true);
    expect(await projector.metric('projector_skipped_total')).to.equal(5);
    expect(await hiddenByReason(deployment)).to.deep.equal({
      removed: 56,
      url: 57,
      title: 53,
      price: 40,
      location: 22,
    });
  });

  it('the feed is the same after the projector was killed halfway and restarted', async () => {
    const own = await createDeployment('killed');
    const proxy = await startFaultProxy(own.env.ELASTICSEARCH_URL as string);
    const half = records.length / 2;
    try {
      await own.publish(records.slice(0, half));
      const first = startService('projector', { ...own.env, ELASTICSEARCH_URL: proxy.url });
      await own.caughtUp();
      const done = async () => {
        const [group] = await own.admin
          .fetchOffsets({ groupId: own.groupId, topics: [own.topic] })
          .catch(() => []);
        return (group?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
      };
      // The projector is killed after it has written states, but before it writes their items.
      const written = Promise.withResolvers<void>();
      proxy.hook = (step, moment) => {
        if (step !== 'write states' || moment !== 'after') return 'pass';
        written.resolve();
        return new Promise<Verdict>(() => undefined);
      };
      await own.publish(records.slice(half));
      await written.promise;
      await first.end('SIGKILL');
      expect(await done())
        .to.be.above(0)
        .and.below(records.length);
      const second = startService('projector', own.env);
      await own.caughtUp();
      await second.end();
      const again = await startFeed(own, { FEED_TODAY: RENTALS_TODAY });
      expect(await again.crawl('/ai-feed')).to.deep.equal(items());
      await again.stop();
    } finally {
      await proxy.close();
      await own.close();
    }
  });
});
