import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const listing = (id: string, version: number) => ({
  key: id,
  value: JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source: '/test',
    type: 'marketplace.listing.changed',
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: {
      version,
      changes: {
        title: 'Casa',
        price: 100,
        location: { city: 'Curitiba' },
        url: 'https://vitrine.example/',
      },
    },
  }),
});

describe('the health line of the console', () => {
  let browser: TestBrowser;
  let proxy: FaultProxy;
  let deployment: Deployment;
  let projector: RunningProjector;
  let service: ServiceProcess;
  let page: Page;

  before(async function () {
    browser = await startBrowser(this);
    proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    deployment = await createDeployment('console-health', 1);
    await deployment.publish([listing('a', 1), listing('b', 1)]);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    service = startService('cli', { ...deployment.env, ELASTICSEARCH_URL: proxy.url }, [
      'console',
      '--port=0',
    ]);
    const url = await eventually(
      'the console prints its URL',
      async () => /Console: (\S+)/.exec(service.log())?.[1],
    );
    ({ page } = await browser.open(url as string));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await projector?.stop();
    await proxy?.close();
    await deployment?.close();
  });

  const health = () => page.getByRole('region', { name: 'Health' });
  const freshness = () => page.locator('.stat', { hasText: 'Freshness' });
  const well = () => health().getByText('The feed shows every event.').waitFor();

  it('says that the feed is healthy, on each view', async () => {
    await well();
    expect(await health().textContent()).to.match(/^OK/);
    await freshness().getByText('The feed shows every event.').waitFor();
    await page.goto(new URL('#/dead-letters', page.url()).href);
    await well();
    await page.goto(new URL('#/', page.url()).href);
  });

  it('says for how long no projector has run, and no tile calls the feed fresh', async () => {
    await projector.stop();
    await health()
      .getByText(/No projector has run for \d+ s: the feed will not show new events\./)
      .waitFor();
    expect(await freshness().textContent()).to.match(/Fault.*–.*New events will not appear/);
    await deployment.publish([listing('a', 2)]);
    await health()
      .getByText(/No projector has run for \d+ s: the feed is behind\./)
      .waitFor();
    await freshness()
      .getByText(/The oldest event that the feed does not show is \d+ s old/)
      .waitFor();
    expect(await page.getByText('every event').count()).to.equal(0);
    projector = await runProjector(deployment);
    await well();
  });

  it('counts the dead letters that are not in the feed, and leads to them', async () => {
    await deployment.publish([
      { key: 'a', value: '{' },
      { key: 'b', value: '[' },
    ]);
    const link = health().getByRole('link', { name: '2 dead letters: their changes are not in the feed.' });
    await link.waitFor();
    expect(await health().textContent()).to.match(/^Attention/);
    await link.click();
    await page.waitForURL(/#\/dead-letters$/);
    await page.goto(new URL('#/', page.url()).href);
  });

  it('says for how long a frozen Elasticsearch has not answered, and the charts have a gap there', async () => {
    const chart = page.getByRole('img', { name: 'Lag in records' });
    /** The number of separate parts in the line. */
    const parts = async () => {
      const path = (await chart.locator('path.line').getAttribute('d')) ?? '';
      return path.split('M').slice(1).length;
    };
    await eventually('the line has begun', async () => (await parts()) > 0);
    // A slow answer before the outage also leaves a gap.
    const partsBefore = await parts();
    proxy.become('silent');
    const fault = health().getByText(/Elasticsearch has not answered for \d+ s\./);
    await fault.waitFor();
    expect(await freshness().textContent()).to.match(/Fault.*–.*Unknown while the fault lasts/);
    expect(await page.getByText('every event').count()).to.equal(0);
    const [, before] = /for (\d+) s/.exec((await fault.textContent()) ?? '') ?? [];
    await eventually('the time goes on', async () => {
      const [, now] = /for (\d+) s/.exec((await fault.textContent()) ?? '') ?? [];
      return Number(now) > Number(before);
    });
    proxy.become('open');
    await fault.waitFor({ state: 'detached' });
    await eventually('the line continues after a gap', async () => (await parts()) > partsBefore);
    // The gap also appears in the coarser range, whose samples cover the whole outage.
    await page.getByRole('link', { name: '1 hour' }).click();
    await page.waitForURL(/#\/\?range=1h$/);
    await eventually('the gap of the hour', async () => (await parts()) > 0);
  });

  it('shows the time at the cursor, and the limit of the lag', async () => {
    const chart = page.getByRole('img', { name: 'Lag in seconds' });
    await chart.getByText('limit 60 s').waitFor();
    await chart.hover();
    const legend = page.locator('.line-chart', { has: chart }).locator('.legend');
    await legend.getByText(/\d{1,2}:\d{2}:\d{2}/).waitFor();
    // Nothing was measured half an hour before the console's start.
    await legend.getByText('no sample').waitFor();
  });
});
