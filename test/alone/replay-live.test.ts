import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startChurn } from '../support/churn.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { cli } from '../support/in-process.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

/**
 * More than Elasticsearch's window of 10,000 items, even without the items that change. VITRINE_FULL=1 uses
 * the size of a real market.
 */
const LISTINGS = Number(
  process.env.VITRINE_LISTINGS ?? (process.env.VITRINE_FULL === '1' ? 100_000 : 20_000),
);

describe(`a replay of ${LISTINGS.toLocaleString('en')} listings during live changes and reads`, () => {
  let deployment: Deployment;
  let feed: Feed;
  let projector: ServiceProcess;
  const market = startChurn({ listings: LISTINGS, changesPerSecond: 100 });

  before(async () => {
    deployment = await createDeployment('replay-live', 4);
    const started = Date.now();
    await market.publish(deployment);
    projector = startService('projector', deployment.env);
    await deployment.caughtUp(300_000);
    process.stderr.write(
      `# ${LISTINGS} listings are live after ${Math.round((Date.now() - started) / 1_000)} s\n`,
    );
    feed = await startFeed(deployment);
  });
  after(async () => {
    await market.stop();
    await feed?.stop();
    await projector?.end('SIGKILL');
    await deployment.close();
  });

  const timed = async (args: string[]) => {
    const started = Date.now();
    const result = await cli(deployment, args);
    process.stderr.write(`# ${args.join(' ')}: ${((Date.now() - started) / 1_000).toFixed(1)} s\n`);
    expect(result.code, `${result.output}${result.stdout.slice(0, 3_000)}`).to.equal(0);
    return result;
  };

  it('causes no errors or empty or mixed pages for readers, even during switch and rollback', async () => {
    const { read } = market;
    await market.during(deployment, feed.page, async () => {
      await timed(['replay']);
      const verified = await timed(['verify']);
      expect(verified.json).to.deep.include({ live: 1, generation: 2, differences: [] });
      await timed(['switch']);
      await sleep(5_000);
      await timed(['rollback']);
      await sleep(3_000);
      // The first replay slowed down for the readers. This replay does not, because it has an explicit rate,
      // which it never reaches.
      await timed(['replay', '--from', 'states', '--rate', '1000000']);
      await timed(['verify', '3']);
      await timed(['switch', '3']);
      await timed(['prune', '1']);
      const { crawls } = read;
      while (read.crawls === crawls) await sleep(250);
    });
    process.stderr.write(
      `# meanwhile: ${read.pages} pages, ${read.crawls} crawls and ${market.changes()} live events\n`,
    );
    expect(read.pages).to.be.above(100);
    expect(read.crawls).to.be.above(1);
  });

  it('leaves both generations equal to the model', async () => {
    await market.expectModel(deployment, [2, 3]);
  });
});
