import type { Item } from '@vitrine/feed-index';
import { generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { daysBetween } from '../../packages/web/src/browser/components/calendar-dates.ts';
import { copyBy, expectAccessible } from '../support/browser.ts';
import { explorerTests } from '../support/explorer.ts';
import { eventually } from '../support/service-process.ts';

const HOSTILE = '<img src=x onerror="document.title=1"> & "quotes"';
const [first, second, ...others] = inFeedOrder(generateItems(60)) as [Item, Item, ...Item[]];
const hostile: Item = {
  ...first,
  feed_item: { ...first.feed_item, title: HOSTILE, description: HOSTILE, provider: { name: HOSTILE } },
};
const items = [hostile, second, ...others];
const dated = others.find(({ calendar }) => calendar.some(({ date }) => date >= TODAY)) ?? second;
/** Two consecutive free nights of a listing, with different prices. */
const [stay = []] = others.flatMap((item) =>
  item.calendar.flatMap((to, index, { [index - 1]: from }) =>
    from?.available &&
    to.available &&
    from.date >= TODAY &&
    daysBetween(from.date, to.date) === 1 &&
    from.price !== to.price
      ? [[item, from, to] as const]
      : [],
  ),
);
const near = others.find(({ point }) => point !== undefined)?.point ?? { lat: 0, lon: 0 };

describe('the detail of a listing in a browser', () => {
  const explorer = explorerTests(items);
  const { open } = explorer;
  const read = async (path: string) => (await fetch(`${explorer.deployment.origin}${path}`)).text();

  it('compares two listings, shares the comparison, and reopens it on a phone', async () => {
    const page = await open('/');
    for (const { feed_item: item } of [hostile, second])
      await page.getByRole('button', { name: `Compare ${item.title}`, exact: true }).click();
    await page.getByRole('button', { name: 'Compare 2 listings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Comparison' });
    await dialog.getByRole('button', { name: second.feed_item.title, exact: true }).waitFor();
    const shared = new URL(await copyBy(dialog.getByRole('button', { name: 'Copy link' })));
    expect(shared.search).to.equal(`?compare=${hostile.id},${second.id}`);

    const phone = await open(shared.pathname + shared.search, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    const again = phone.getByRole('dialog', { name: 'Comparison' });
    await again.getByRole('button', { name: second.feed_item.title, exact: true }).waitFor();
    await again.getByRole('button', { name: HOSTILE, exact: true }).waitFor();
    expect(await again.locator('img[src="x"]').count()).to.equal(0);
    expect(await phone.title()).to.equal('Comparison of 2 listings · Vitrine');
    expect(await phone.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(360);
    expect(await phone.evaluate<number>('document.querySelector("dialog").scrollWidth')).to.be.at.most(360);
    await expectAccessible(phone, 'the comparison on a phone');
    await phone.keyboard.press('Escape');
    await phone.waitForURL((url) => !url.search.includes('compare'));
  });

  it('opens a listing with its calendar and its JSON, keeps the focus inside, and closes it', async () => {
    const page = await open('/');
    const link = page.getByRole('link', { name: HOSTILE, exact: true });
    await link.click();
    await page.waitForURL(/listing=/);
    const dialog = page.getByRole('dialog', { name: HOSTILE });
    await dialog.getByText('The item as JSON').click();
    const json = dialog.locator('.json');
    await json.getByText(JSON.stringify(HOSTILE), { exact: true }).first().waitFor();
    expect(await page.locator('img[src="x"]').count()).to.equal(0);
    expect(await page.title()).to.equal(`${HOSTILE} · Vitrine`);
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      // After the dialog's last element, the focus leaves the page. It never reaches what lies below the
      // dialog.
      expect(
        await page.evaluate(
          'document.activeElement === document.body || document.activeElement.closest("dialog") !== null',
        ),
      ).to.equal(true);
    }
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('listing'));
    await page.locator('.card-link:focus').waitFor();
    await link.click();
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
  });

  it('shows the price of each free date by month', async () => {
    const page = await open(`/?listing=${dated.id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('December 2026').waitFor();
    await expectAccessible(page, 'the detail');
    const free = dated.calendar.filter(({ date, available }) => available && date >= TODAY);
    const inMonth = (month: string) => free.filter(({ date }) => date.startsWith(month));
    expect(await dialog.locator('.month td.free').count()).to.equal(inMonth('2026-12').length);
    await dialog.getByRole('button', { name: 'Next month' }).click();
    await dialog.getByText('January 2027').waitFor();
    expect(await dialog.locator('.month td.free .day-price').allTextContents()).to.deep.equal(
      inMonth('2027-01').map(({ price }) => new Intl.NumberFormat('en').format(price)),
    );
  });

  it('says why the total of a stay is not the number of nights × the price', async () => {
    const [uneven, from, to] = stay;
    const page = await open(`/?date=${from?.date}&date_to=${to?.date}&listing=${uneven?.id}`);
    const amounts = [from, to].map(
      (night) => `1 × R$${new Intl.NumberFormat('en').format(night?.price ?? 0)}`,
    );
    const words = `The price depends on the night: ${amounts.join(' + ')}`;
    await page.getByRole('dialog').getByText(words).waitFor();
    await page.goto(
      `${explorer.deployment.origin}/?date=${from?.date}&date_to=${to?.date}&compare=${uneven?.id}`,
    );
    await page.getByRole('dialog').getByText(words).waitFor();
  });

  it('shows the dates and the total of the cheapest flexible stay', async () => {
    const [uneven, from, to] = stay;
    const cheaper = [from, to].sort((one, other) => (one?.price ?? 0) - (other?.price ?? 0))[0];
    const page = await open(`/?date=${from?.date}&date_to=${to?.date}&nights=1&listing=${uneven?.id}`);
    const total = page.getByRole('dialog').getByText('Total for your dates');
    const day = Number(cheaper?.date.slice(-2));
    await total.getByText(new RegExp(`^for 1 night, \\w+ ${day}, `)).waitFor();
    expect(await total.innerText()).to.include(
      `R$${new Intl.NumberFormat('en').format(cheaper?.price ?? 0)} for 1 night`,
    );
  });

  it('says that a listing no longer exists', async () => {
    const page = await open('/?listing=gone');
    await page.getByRole('dialog', { name: 'This listing no longer exists' }).waitFor();
    // A search can take longer than the page waits. The status of the page is then 200.
    await eventually('the status 404', async () => {
      if (explorer.faults.some((fault) => fault.includes('404'))) return true;
      await page.reload();
      return false;
    });
    await explorer.expectFaults(/404/);
  });

  it('says that Elasticsearch has stopped, and shows the listing later', async () => {
    explorer.proxy.become('refuse');
    const page = await open(`/?listing=${second.id}`);
    await page.getByRole('dialog').getByRole('alert').waitFor();
    explorer.proxy.become('open');
    await page.getByRole('dialog', { name: second.feed_item.title }).waitFor();
  });

  it('shows the distance from a place', async () => {
    const page = await open(`/?lat=${near.lat}&lng=${near.lon}`);
    await page
      .getByText(/km away/)
      .first()
      .waitFor();
  });

  it('shows no response for a failed request, and remembers that a visitor is a developer', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'For developers' }).click();
    await page.getByText('Requests left').waitFor();
    await page.reload();
    await page.getByText('Requests left').waitFor();
    await page.route('**/api/ai-feed/**', (route) => route.abort());
    await page.getByRole('tab', { name: /^For sale/ }).click();
    await page.getByText('There is no response').waitFor();
    expect(await page.getByText('Requests left').count()).to.equal(0);
    // The page repeats the request every few seconds, and each repetition would report a fault.
    await page.close();
    await explorer.expectFaults(/ERR_FAILED/);
  });

  it('lists the results without a script, and leads to the next page and to a listing', async () => {
    const page = await open('/', { javaScriptEnabled: false });
    /** A search can take longer than the page waits. Without a script, only a reload repeats it. */
    const shown = (name: string) =>
      eventually(name, async () => {
        const found = await page.locator('.listing h3').allTextContents();
        if (found.length > 0) return found;
        await page.reload();
        return undefined;
      });
    const titles = items.map(({ feed_item: { title: text } }) => text);
    expect(await shown('the first page')).to.deep.equal(titles.slice(0, 12));
    expect(await page.locator('img[src="x"]').count()).to.equal(0);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.waitForURL(/page=2/);
    expect(await shown('the second page')).to.deep.equal(titles.slice(12, 24));
  });

  it('describes a hostile listing to other applications as text, and responds without Elasticsearch', async () => {
    const escaped = HOSTILE.replace(
      /[&<>"]/g,
      (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c] ?? '&quot;',
    );
    await eventually(
      'the title of the listing',
      async () =>
        (await read(`/?listing=${hostile.id}`)).includes(
          `property="og:title" content="${escaped} · Vitrine"`,
        ),
      120_000,
    );
    expect(await read(`/?listing=${hostile.id}`)).not.to.include('<img src=x');
    // A search can take longer than the page waits. The status is then 200.
    const gone = await eventually('the status of a listing that does not exist', async () => {
      const response = await fetch(`${explorer.deployment.origin}/?listing=gone`);
      return response.status === 404 && response;
    });
    expect(await gone.text()).to.include('noindex');
    explorer.proxy.become('refuse');
    try {
      const response = await fetch(`${explorer.deployment.origin}/?city=recife&page=3`);
      expect(response.status).to.equal(200);
      expect(await response.text()).not.to.include('first-results');
    } finally {
      explorer.proxy.become('open');
    }
  });
});
