import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessibleLooks, startBrowser, type TestBrowser } from '../support/browser.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';
import { withoutOutages } from '../support/views/view-list.ts';

const HOSTILE = '<img src=x onerror="document.title=1">';
const COMPLETE = {
  title: 'Casa',
  price: 100,
  location: { city: 'Curitiba' },
  url: 'https://vitrine.example/',
};

const event = (id: string, version: number, changes: object, source = '/backend') => ({
  key: id,
  headers: { 'x-trace': `trace of ${id}`, 'x-bytes': Buffer.from([0xff]) },
  value: JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source,
    type: 'marketplace.listing.changed',
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: { version, changes },
  }),
});

/**
 * Runs in the page. It returns the address of the link at an element's center, or undefined if the element has
 * no width or no link is there.
 */
const linkInTheMiddle = (element: Element): string | undefined => {
  element.scrollIntoView();
  const { left, top, width, height } = element.getBoundingClientRect();
  if (width === 0) return undefined;
  return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('a')?.href;
};

describe('the worklists of the console in a browser', () => {
  let browser: TestBrowser;
  let deployment: Deployment;
  let projector: RunningProjector;
  let services: ServiceProcess[] = [];
  let page: Page;
  let faults: string[];
  let url: string;
  let readingUrl: string;

  const startConsole = async (...options: string[]): Promise<string> => {
    const service = startService('cli', deployment.env, ['console', '--port=0', ...options]);
    services.push(service);
    return eventually('the console prints its URL', async () => /Console: (\S+)/.exec(service.log())?.[1]);
  };

  before(async function () {
    browser = await startBrowser(this);
    deployment = await createDeployment('console-lists', 2);
    await deployment.publish([
      event('fine', 1, COMPLETE),
      ...[1, 2, 3].map((n) => event(`price-${n}`, 1, { ...COMPLETE, price: 'free' })),
      event('hostile', 1, { ...COMPLETE, price: HOSTILE }, `/${HOSTILE}`),
      event('no-city', 1, { ...COMPLETE, location: null }),
      // The parser counts characters, and the page marks bytes.
      { key: 'cut', value: '{"title":"São João","price":1', headers: { [HOSTILE]: HOSTILE } },
    ]);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    await deployment.client.indices.refresh({ index: `${deployment.prefix}-*` });
    [url, readingUrl] = await Promise.all([startConsole('--allow-actions'), startConsole()]);
    ({ page, faults } = await browser.open(url));
    await page.getByText('Items in the feed').waitFor();
  });
  after(async () => {
    await browser?.close();
    await Promise.all(services.map((service) => service.stop()));
    services = [];
    await projector?.stop();
    await deployment?.close();
  });

  const goIn = (target: Page, view: string) => target.goto(new URL(`#/${view}`, url).href);
  const confirm = async () => {
    await page.locator('dialog[open] button[type=submit]').click();
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.locator('.job [data-job-state=running]').waitFor({ state: 'detached' });
  };
  const total = async () =>
    Number((await cli(deployment, ['dead-letters', 'list', '--limit', '1'])).json.total);

  it('answer which listings are missing and why, and prove that one is fixed', async () => {
    // Which: the number in the overview opens the rows.
    const tile = page
      .locator('.stat', { hasText: 'Dead letters' })
      .getByRole('link', { name: '5', exact: true });
    await tile.click();
    // Why: three of them have the same cause.
    const cause = page
      .locator('table.causes tr', { hasText: '/data/changes/price' })
      .filter({ hasText: '/backend' });
    await cause.getByRole('link', { name: '3', exact: true }).click();
    await page.getByText('The newest 3 of 3').waitFor();
    expect(page.url()).to.match(/cause=[0-9a-f]{10}/);
    const row = page.getByRole('row', { name: /price-2/ });
    await row.getByText('/data/changes/price must be number').waitFor();
    // The row opens its listing.
    await row.getByRole('link', { name: 'price-2' }).click();
    await page.getByText('Not in the feed', { exact: true }).waitFor();

    // Fix: the source sends a correct event.
    await deployment.publish([event('price-2', 2, COMPLETE)]);
    await deployment.caughtUp();
    // Prove: the dead letter is corrected, and the listing is in the feed.
    await page.reload();
    await page.getByText('In the feed', { exact: true }).waitFor();
    await page.getByText('corrected by version 2').waitFor();
    await goIn(page, 'dead-letters');
    await page.getByText('The newest 4 of 4').waitFor();
    await page.getByRole('link', { name: '1 corrected by a later version' }).click();
    await page
      .getByRole('row', { name: /price-2/ })
      .getByText('corrected by version 2')
      .waitFor();
    expect(await total()).to.equal(4);
  });

  it('open the rows of each bar', async () => {
    await goIn(page, 'dead-letters');
    const bars = page.getByRole('group', { name: 'Dead letters over time' });
    await bars.getByRole('link').first().press('Enter');
    await page.waitForURL(/since=.*until=/);
    await page.getByRole('heading', { name: /^The newest \d of \d$/ }).waitFor();
    await page.getByRole('link', { name: 'Remove the filter' }).click();
    await page.getByText('The newest 4 of 4').waitFor();
    // The link's area covers the bar beside the word. One call measures the bar and finds the link, because new rows
    // may still move the bar.
    const bar = page.locator('.count-bars li', { hasText: 'not-json' });
    const target = await eventually('a link at the center of the bar', () =>
      bar.locator('svg').evaluate(linkInTheMiddle),
    );
    expect(target).to.include('reason=not-json');
    await bar.getByRole('link').click();
    await page.getByText('The newest 1 of 1').waitFor();
    expect(page.url()).to.include('reason=not-json');
  });

  it('show headers without a click, and mark the last byte of a value that ends too early', async () => {
    await page
      .getByRole('row', { name: /cut/ })
      .getByRole('link', { name: /^\d:\d+$/ })
      .click();
    await page.getByText('The value ends too early, at byte 31 (position 29 in the text)').waitFor();
    expect(await page.locator('pre mark').textContent()).to.equal('1');
    const headers = page.locator('dl.headers');
    expect(await headers.textContent()).to.equal(HOSTILE + HOSTILE);
    await expectAccessibleLooks(page, 'a dead letter with headers');
    expect(await page.locator('main img').count()).to.equal(0);
    await goIn(page, 'dead-letters?key=price-1');
    await page
      .getByRole('row', { name: /price-1/ })
      .getByRole('link', { name: /^\d:\d+$/ })
      .click();
    await page.locator('dl.headers').getByText('trace of price-1').waitFor();
    expect(await page.locator('dl.headers').textContent()).to.include('base64 /w==');
  });

  it('show a retry that was refused again red, with the reason in the row', async () => {
    await goIn(page, 'dead-letters?key=price-1');
    await page.getByRole('row', { name: /price-1/ }).waitFor();
    const panel = page.locator('section.panel', { hasText: 'The newest 1 of 1' });
    await panel.locator('button[data-action=retry]:enabled').click();
    await page.locator('dialog[open]').getByText('This affects 1 dead letter.').waitFor();
    await confirm();
    const row = page.locator('table.letters tr.refused', { hasText: 'price-1' });
    await row.getByText('refused again').waitFor();
    await row.getByText('/data/changes/price must be number').first().waitFor();
    await page.locator('.job .chip.bad', { hasText: 'refused again' }).waitFor();
  });

  it('dismiss a cause with a reason, and show the dismissed on request', async () => {
    await goIn(page, 'dead-letters');
    const cause = page
      .locator('table.causes tr', { hasText: '/data/changes/price' })
      .filter({ hasText: '/backend' });
    await cause.locator('button[data-action=dismiss]:enabled').click();
    const dialog = page.locator('dialog[open]');
    await dialog.getByText('This affects 2 dead letters.').waitFor();
    // Without a reason, the browser does not send the form.
    await dialog.locator('button[type=submit]').click();
    expect(await dialog.count()).to.equal(1);
    expect(await total()).to.equal(4);
    await dialog.getByLabel('Why it needs no action').fill(`a load test ${HOSTILE}`);
    await dialog.getByText("--reason 'a load test").waitFor();
    await confirm();
    await page.getByText('The newest 2 of 2').waitFor();
    await eventually('the command has dismissed both', async () => (await total()) === 2);
    await page.getByRole('link', { name: '2 dismissed' }).click();
    await page
      .getByRole('row', { name: /price-3/ })
      .getByText(`a load test ${HOSTILE}`)
      .waitFor();
    expect(await page.locator('main img').count()).to.equal(0);
    await expectAccessibleLooks(page, 'all dead letters');
    // The overview and the lists show the same counts.
    await goIn(page, '');
    await page
      .locator('.stat', { hasText: 'Dead letters' })
      .getByRole('link', { name: '2', exact: true })
      .waitFor();
    await goIn(page, 'listings?list=dead-letters');
    await page.getByRole('link', { name: 'hostile', exact: true }).waitFor();
    expect(await page.locator('table.listings tbody tr').count()).to.equal(2);
    await expectAccessibleLooks(page, 'listings with dead letters');
    await page
      .getByRole('row', { name: /hostile/ })
      .getByRole('link', { name: 'schema' })
      .click();
    await page.getByText('The newest 1 of 1').waitFor();
  });

  it('offer no action without --allow-actions', async () => {
    const opened = await browser.open(readingUrl);
    await opened.page.goto(new URL('#/dead-letters', readingUrl).href);
    await opened.page.getByText('The newest 2 of 2').waitFor();
    expect(await opened.page.locator('[data-action]').count()).to.equal(0);
    const response = await fetch(new URL('/api/jobs', readingUrl), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: new URL(readingUrl).origin },
      body: JSON.stringify({ action: 'dismiss', arguments: { cause: 'x', reason: 'y' } }),
    });
    expect(response.status).to.equal(403);
    expect(await total()).to.equal(2);
    await opened.page.context().close();
  });

  it('ask no other host, and report no error', () => {
    expect(withoutOutages(faults)).to.deep.equal([]);
  });
});
