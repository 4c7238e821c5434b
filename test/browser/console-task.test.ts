import { generationNames } from '@vitrine/feed-index';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';
import { withoutOutages } from '../support/views/view-list.ts';

const COMPLETE = {
  title: 'Casa',
  price: 100,
  location: { city: 'Curitiba' },
  url: 'https://vitrine.example/',
};

const event = (id: string, version: number, changes: object) => ({
  key: id,
  value: JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source: '/backend',
    type: 'marketplace.listing.changed',
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: { version, changes },
  }),
});

describe('a data engineer who finds missing listings in the console, fixes them, and proves it', () => {
  let browser: TestBrowser;
  let deployment: Deployment;
  let projector: RunningProjector;
  let service: ServiceProcess;
  let page: Page;
  let faults: string[];

  before(async function () {
    browser = await startBrowser(this);
    deployment = await createDeployment('console-task', 1);
    await deployment.publish([
      event('fine', 1, COMPLETE),
      event('hidden', 1, { title: 'Sítio', location: {} }),
      event('high', 5_000, COMPLETE),
      event('lost', 1, { ...COMPLETE, title: 'Chalé' }),
    ]);
    projector = await runProjector(deployment, { MAX_VERSION: '1000' });
    await deployment.caughtUp();
    await projector.stop();
    projector = await runProjector(deployment);
    const index = generationNames(deployment.prefix, 1).items;
    await deployment.client.delete({ index, id: 'lost', refresh: true });
    service = startService('cli', deployment.env, ['console', '--port=0', '--allow-actions']);
    const url = await eventually(
      'the console prints its URL',
      async () => /Console: (\S+)/.exec(service.log())?.[1],
    );
    ({ page, faults } = await browser.open(url));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await projector?.stop();
    await deployment?.close();
  });

  const explain = async (id: string) => {
    await page.getByRole('link', { name: 'Explain', exact: true }).click();
    // The link empties the form of the previous listing.
    await page.getByText('Type the id of a listing.').waitFor();
    await page.getByLabel('Listing id').fill(id);
    await page.getByRole('button', { name: 'Explain' }).click();
  };
  const shows = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  /** Each confirmation names its action. */
  const confirm = async (name: string) => {
    await page.locator('dialog[open]').getByRole('button', { name, exact: true }).click();
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  };
  const inFeed = async (id: string) => (await deployment.items()).has(id);

  it('a record that a newer setting accepts: from the health line to a retry and to the feed', async () => {
    await page.getByRole('link', { name: '1 dead letter: its change is not in the feed.' }).click();
    await page.getByRole('row', { name: /high/ }).last().getByText('version-too-high').waitFor();
    await page.getByRole('button', { name: 'Try a retry (dry run)' }).click();
    await page.getByText('1 record would be sent again.').waitFor();
    expect(await inFeed('high')).to.equal(false);
    await page.getByRole('button', { name: 'Retry', exact: true }).last().click();
    await confirm('Retry');
    await page.getByText('No dead letter needs action.').waitFor();
    await deployment.caughtUp();
    await explain('high');
    await shows('In the feed');
    expect(await inFeed('high')).to.equal(true);
  });

  it('a hidden listing: the list, the fields that it lacks, and the event that shows it', async () => {
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('link', { name: 'Hidden listings: 1' }).click();
    await page.getByRole('link', { name: 'hidden', exact: true }).click();
    await shows('Not in the feed');
    await page
      .getByText('It appears as soon as its source sends usable values for: price, location, url')
      .waitFor();
    const verdict = page.locator('.verdict');
    expect(await verdict.locator('dd').allTextContents()).to.deep.equal([
      'present Sítio',
      'missing ',
      'missing ',
      'missing ',
    ]);
    // An id without a title appears once.
    expect(await verdict.getByText('hidden', { exact: true }).count()).to.equal(1);
    await verdict.getByRole('link', { name: 'See its events' }).click();
    await page.getByText('1 record in the events topic').waitFor();
    await deployment.publish([event('hidden', 2, COMPLETE)]);
    await deployment.caughtUp();
    await page.getByRole('button', { name: 'Explain' }).click();
    await shows('In the feed');
    expect(await inFeed('hidden')).to.equal(true);
  });

  it('an item that the index lost: the repair where the fault is shown, and the proof on the same page', async () => {
    await explain('lost');
    await page.getByText('Its state is complete, but its item is missing.').waitFor();
    expect(await inFeed('lost')).to.equal(false);
    await page.getByRole('button', { name: 'Check and repair' }).click();
    await page.locator('dialog[open]').getByText('This affects generation 1.').waitFor();
    await confirm('Check and repair');
    await shows('In the feed');
    await page.getByRole('heading', { name: 'Chalé' }).waitFor();
    expect(await inFeed('lost')).to.equal(true);
    expect(withoutOutages(faults)).to.deep.equal([]);
  });
});
