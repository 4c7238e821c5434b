import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generationNames, type ItemDocument } from '@vitrine/feed-index';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessibleLooks, startBrowser, type TestBrowser } from '../support/browser.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';
import { withoutOutages } from '../support/views/view-list.ts';

const LISTINGS = 120;
const HOSTILE = '<img src=x onerror="document.title=1">';

const event = (id: string, version: number, type: string, data: object) => ({
  key: id,
  value: JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source: '/test',
    type: `marketplace.listing.${type}`,
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: { version, ...data },
  }),
});
const listing = (title: string) => ({
  title,
  price: 100,
  location: { city: 'Curitiba' },
  url: 'https://vitrine.example/',
});

interface RebuildSeen {
  begun: boolean;
  /** Whether the page said that no rebuild was running while one was. */
  denied: boolean;
  bars: number;
}

/** What the page knows about the progress of a rebuild and of the console's own jobs. */
interface ConsoleProgress {
  rebuild?: { progress?: object; endedAt?: string };
  jobs?: { progress?: object; endedAt?: string }[];
}

const PROGRESS = { label: 'deriving', done: 1, total: 2 };

/** Watches what the page says about a rebuild from the moment when the rebuild's command runs. */
const WATCH_REBUILD = `(() => {
  const seen = (window.rebuildSeen = { begun: false, denied: false, bars: 0 });
  new MutationObserver(() => {
    if (!document.querySelector('[data-job-state=running]')) return;
    const text = document.querySelector('main').innerText;
    if (/A rebuild is starting|is being built/.test(text)) seen.begun = true;
    if (text.includes('No rebuild is running.')) seen.denied = true;
    seen.bars = Math.max(seen.bars, document.querySelectorAll('.panel progress').length);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

/** Follows a link right after the page has created its elements, before the browser draws them. */
const FOLLOW_AT_ONCE = `new MutationObserver((_, observer) => {
  if (!document.querySelector('main.console')) return;
  observer.disconnect();
  location.hash = '#/dead-letters';
}).observe(document, { subtree: true, childList: true })`;

describe('the console in a browser', () => {
  let browser: TestBrowser;
  let proxy: FaultProxy;
  let deployment: Deployment;
  let projector: RunningProjector;
  let service: ServiceProcess;
  let url: string;
  let page: Page;
  let faults: string[];

  before(async function () {
    browser = await startBrowser(this);
    proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    deployment = await createDeployment('console-page', 2);
    const dates = Array.from({ length: 40 }, (_, i) => ({
      date: new Date(Date.UTC(2999, 0, 1 + i)).toISOString().slice(0, 10),
      available: i % 3 > 0,
      price: 100 + i,
    }));
    await deployment.publish([
      ...Array.from({ length: LISTINGS }, (_, i) =>
        event(`l-${i}`, 1, 'changed', { changes: listing(`Casa ${i}`) }),
      ),
      event('l-0', 2, 'changed', { changes: { title: `Casa ${HOSTILE}` } }),
      event('l-0', 3, 'availability_changed', { dates }),
      event('no-price', 1, 'changed', { changes: { title: 'Casa' } }),
      event('ignores', 1_700_000_000_000, 'changed', {
        changes: { ...listing('Casa'), rating: 9, price: 0 },
      }),
      event('ignores', 5, 'changed', { changes: { price: 100 } }),
      { key: 'poison', value: '{"specversion":"1.0",}' },
      { key: HOSTILE, value: Buffer.from([0x3c, 0xff]) },
    ]);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    service = startService('cli', { ...deployment.env, ELASTICSEARCH_URL: proxy.url }, [
      'console',
      '--port=0',
      '--allow-actions',
    ]);
    url = await eventually(
      'the console prints its URL',
      async () => /Console: (\S+)/.exec(service.log())?.[1],
    );
    ({ page, faults } = await browser.open(url));
    await page.getByText('Items in the feed').waitFor();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await projector?.stop();
    await proxy?.close();
    await deployment?.close();
  });

  /** Changes only the fragment, so the page does not reload. */
  const go = (view: string) => page.goto(new URL(`#/${view}`, url).href);
  const confirm = () => page.locator('dialog[open] button[type=submit]').click();
  /** Opens the dialog of an action, confirms it, and waits for the end of the command. */
  const run = async (action: string, effect: string | RegExp) => {
    await page.locator(`button[data-action=${action}]:enabled`).first().click();
    await page.locator('dialog[open]').getByText(effect).first().waitFor();
    await confirm();
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.locator('.job [data-job-state=running]').waitFor({ state: 'detached' });
  };
  const liveGeneration = async () => {
    const { json } = await cli(deployment, ['status']);
    return (json.generations as { number: number; role: string }[]).find(({ role }) => role === 'live')
      ?.number;
  };

  it('takes the token out of the URL, and keeps it for a reload', async () => {
    expect(url).to.match(/#token=[\w-]{43}$/);
    expect(page.url()).not.to.include('token');
    await page.reload();
    await page.getByText('Actions allowed').waitFor();
    expect(await page.getByText('This tab has no token').count()).to.equal(0);
  });

  it('takes the token of a URL that someone pastes into an open tab', async () => {
    const { page: opened } = await browser.open(new URL('/', url).href);
    await opened.getByText('This tab has no token').waitFor();
    await opened.goto(url);
    await opened.getByText('This tab has no token').waitFor({ state: 'detached' });
    expect(opened.url()).not.to.include('token');
    await opened.close();
  });

  it('follows a link even before its first frame', async () => {
    const opened = await browser.open(url);
    await opened.page.addInitScript(FOLLOW_AT_ONCE);
    await opened.page.reload();
    await opened.page.locator('main h1', { hasText: 'Dead letters' }).waitFor({ state: 'attached' });
    await opened.page.context().close();
  });

  it('shows generations, lag, hidden listings and dead letters', async () => {
    const live = page.getByRole('article', { name: 'Generation 1' });
    await live.getByText('live', { exact: true }).waitFor();
    await live.getByText(String(LISTINGS), { exact: true }).first().waitFor();
    await page.getByText('no price above 0').waitFor();
    await page.getByRole('link', { name: 'not-utf8' }).waitFor();
    for (const chart of ['Events per second', 'Lag in records', 'Lag in seconds'])
      await page.getByRole('img', { name: chart }).waitFor();
  });

  it('explains a listing whose title is markup, and keeps its id in the URL', async () => {
    await go('explain');
    await page.getByLabel('Listing id').fill('l-0');
    await page.getByLabel('Read the times of all events').check();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('In the feed', { exact: true }).waitFor();
    await page.getByRole('cell', { name: `Casa ${HOSTILE}` }).waitFor();
    expect(page.url()).to.match(/#\/explain\/l-0\?history=true$/);
    expect(await page.locator('main img').count()).to.equal(0);
    await page.getByText('3 records in the events topic').waitFor();
    await page.getByRole('img', { name: /Jan 2999: \d+ open, \d+ taken/ }).waitFor();
    await expectAccessibleLooks(page, 'a listing with a calendar');
    await page.getByLabel('Listing id').fill('no-price');
    await page.keyboard.press('Enter');
    await page.getByText('Not in the feed', { exact: true }).waitFor();
    await page.getByText('The rules hide the listing:').waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: `Casa ${HOSTILE}` }).waitFor();
  });

  it('lists listings by what is wrong with them, and leads to their explanation', async () => {
    // The page retries a read that an engine did not answer, without a click.
    let failures = 0;
    await page.route('**/api/listings*', (route) =>
      failures++ === 0
        ? route.fulfill({ status: 503, json: { error: { kind: 'failed', message: 'no answer' } } })
        : route.continue(),
    );
    await go('listings');
    await page.getByText('no answer').waitFor();
    await page.getByRole('link', { name: 'no-price' }).waitFor();
    expect(await page.getByText('no answer').count()).to.equal(0);
    // While a response is on its way, the form says so.
    const held = Promise.withResolvers<void>();
    await page.route('**/api/listings*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('Id contains').fill('price');
    await page.keyboard.press('Enter');
    await page.locator('form[aria-busy=true]').getByText('Loading …').waitFor({ state: 'attached' });
    held.resolve();
    await page.locator('form[aria-busy=false]').waitFor();
    await page.unroute('**/api/listings*');
    await page.getByLabel('Id contains').fill('ignores');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'no-price' }).waitFor({ state: 'detached' });
    for (const [list, detail] of [
      ['dropped', '9 is not between 0 and 5'],
      ['superseded', 'changed nothing, because `price` has version 1,700,000,000,000'],
    ] as const) {
      await page.getByLabel('List', { exact: true }).selectOption(list);
      await page.getByText(detail).waitFor();
    }
    expect(page.url()).to.match(/#\/listings\?.*list=superseded/);
    await expectAccessibleLooks(page, 'superseded events');
    await page.getByRole('link', { name: 'ignores' }).click();
    await page.getByText('changed nothing, because price has version').waitFor();
    await page.getByText('The rules left out the member').waitFor();
    await expectAccessibleLooks(page, 'an ignored event');
  });

  it('shows the last comparison with the database', async () => {
    await go('');
    await page.getByText('The feed has not been compared with the marketplace yet').waitFor();
    const file = join(await mkdtemp(join(tmpdir(), 'vitrine-')), 'source.jsonl');
    await writeFile(file, '{"id":"unknown"}\n');
    const reconcile = ['reconcile', '--source', file, '--settle', '0'];
    expect((await cli(deployment, reconcile)).code).to.equal(3);
    const differing = page.getByText(`listings that differ: ${LISTINGS + 1}`);
    await differing.waitFor();
    await differing.click();
    await page.waitForURL(/#\/reconciliation$/);
    const missing = page.getByRole('row', { name: /unknown/ });
    await missing.getByText('missing from the feed: no event arrived').waitFor();
    await page.getByText(`would remove ${LISTINGS} of ${LISTINGS} live items`).waitFor();
    expect(await page.getByRole('link', { name: /Download the corrections/ }).count()).to.equal(0);
    expect((await cli(deployment, [...reconcile, '--max-removals', '100%'])).code).to.equal(3);
    await rm(dirname(file), { recursive: true });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /Download the corrections/ }).click(),
    ]);
    const corrections = JSON.parse(await readFile(await download.path(), 'utf8')) as { type: string }[];
    expect(corrections.map(({ type }) => type)).to.include('marketplace.listing.removed');
    // No event can be made from a line that names only an id.
    expect(corrections).to.have.length(LISTINGS);
  });

  it('shows the bytes of a dead letter with the fault, and what a retry would do', async () => {
    await go('dead-letters?reason=not-json');
    await page.locator('table.letters').waitFor();
    await expectAccessibleLooks(page, 'dead letters');
    const row = page.getByRole('row', { name: /poison/ });
    await row.getByRole('link', { name: /^\d:\d+$/ }).click();
    await page.locator('pre mark').waitFor();
    expect(await page.locator('pre mark').textContent()).to.equal('}');
    await page.getByRole('tab', { name: 'Hex' }).click();
    await page.locator('pre.hex mark', { hasText: '7d' }).waitFor();
    await page.getByRole('button', { name: 'Try a retry (dry run)' }).click();
    await page.getByText('0 records would be sent again.').waitFor();
    await expectAccessibleLooks(page, 'a dead letter');
  });

  it('rebuilds, shows one tampered item side by side, switches, rolls back and prunes', async () => {
    await go('rebuild');
    await page.getByText('No rebuild is running.').waitFor();
    await page.evaluate(WATCH_REBUILD);
    // The rebuild of a few listings can end before it reports its progress. The test therefore adds progress,
    // which two places could show.
    await page.route('**/api/console*', async (route) => {
      const response = await route.fetch();
      const state = (await response.json()) as ConsoleProgress;
      for (const running of [state.rebuild, ...(state.jobs ?? [])])
        if (running && running.endedAt === undefined) running.progress ??= PROGRESS;
      await route.fulfill({ response, json: state });
    });
    await run('replay', /The feed does not change/);
    const first = page.locator('.panel', { hasText: '1. Rebuild' });
    await first.getByText('done', { exact: true }).waitFor();
    await page.unroute('**/api/console*');
    const { begun, denied, bars } = await page.evaluate<RebuildSeen>('rebuildSeen');
    expect({ begun, denied }).to.deep.equal({ begun: true, denied: false });
    expect(bars, 'progress bars at one time').to.equal(1);
    await page.getByText('Generation 2').first().waitFor();
    await page.locator('button[data-action=verify]:enabled').waitFor();
    expect(await page.locator('button[data-action=switch]').isDisabled()).to.equal(true);

    const index = generationNames(deployment.prefix, 2).items;
    await eventually('generation 2 has all items', async () => (await deployment.items(2)).size === LISTINGS);
    const tampered = (await deployment.items(2)).get('l-7') as ItemDocument;
    const feed_item = { ...tampered.feed_item, title: 'Casa 7 grátis' };
    await deployment.client.index({ index, id: 'l-7', document: { ...tampered, feed_item }, refresh: true });

    await run('verify', /stores the result for the switch/);
    const sides = page.getByRole('row', { name: /feed_item\.title/ });
    await sides.waitFor();
    await page.getByText('the new item is not what its state gives', { exact: true }).waitFor();
    expect(await sides.getByRole('cell').allTextContents()).to.deep.equal(['Casa 7', 'Casa 7 grátis']);
    expect(await sides.locator('ins').textContent()).to.equal(' grátis');

    // The switch accepts the difference only if the person types the number of differences.
    await page.locator('button[data-action=switch]').click();
    await page.getByText('Generation 2 replaces generation 1 in the feed.').waitFor();
    const submit = page.locator('dialog[open] button[type=submit]');
    expect(await submit.isDisabled()).to.equal(true);
    expect(await liveGeneration()).to.equal(1);
    // The open dialog still shows what it affects, although the page now shows another generation without
    // differences.
    await page.route('**/api/console*', async (route) => {
      const response = await route.fetch();
      const state = (await response.json()) as {
        status?: { generations: { number: number; verification?: object }[] };
      };
      for (const generation of state.status?.generations ?? [])
        if (generation.verification)
          Object.assign(generation, {
            number: 3,
            verification: { ...generation.verification, unexplained: 0 },
          });
      await route.fulfill({ response, json: state });
    });
    await page.getByText('Generation 3').first().waitFor({ state: 'attached' });
    expect(await page.locator('dialog[open]').textContent()).to.include('Generation 2 replaces generation 1');
    expect(await submit.isDisabled()).to.equal(true);
    await page.unroute('**/api/console*');
    await page.getByText('Generation 3').first().waitFor({ state: 'detached' });

    await page.keyboard.press('Escape');
    await page.locator('button[data-action=switch]').click();
    await page.getByLabel(/1 item differs/).fill('1');
    await submit.click();
    await page.locator('button[data-action=rollback]:enabled').waitFor();
    expect(await liveGeneration()).to.equal(2);

    await run('rollback', 'Generation 1 replaces generation 2 in the feed.');
    await eventually('generation 1 is live again', async () => (await liveGeneration()) === 1);
    await run('prune', 'This affects generation 2.');
    await page.getByText('No generation waits for a switch.').waitFor();
    await expectAccessibleLooks(page, 'a rebuild with finished commands');
    await eventually(
      'generation 2 is pruned',
      async () => ((await cli(deployment, ['status'])).json.generations as unknown[]).length === 1,
    );
    for (const action of ['replay', 'verify', 'switch', 'rollback', 'prune'])
      await eventually(`${action} has ended`, async () =>
        new RegExp(`"event":"ended","action":"${action}".*"state":"done"`).test(service.log()),
      );
  });

  it('says that Elasticsearch does not respond, keeps the last values, and recovers', async () => {
    await go('');
    await page.getByText('Items in the feed').waitFor();
    proxy.become('refuse');
    const fault = page.getByRole('region', { name: 'Health' }).getByText(/Elasticsearch has not answered/);
    await fault.first().waitFor();
    await page.getByText('Items in the feed').waitFor();
    proxy.become('open');
    await fault.first().waitFor({ state: 'detached' });
    await expectAccessibleLooks(page, 'the overview');
  });

  it('asks no other host, and reports no error', () => {
    expect(withoutOutages(faults)).to.deep.equal([]);
  });
});
