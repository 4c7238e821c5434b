import type { Item } from '@vitrine/feed-index';
import { generateItems, inFeedOrder } from '@vitrine/fixtures';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, untilSettled } from '../support/browser.ts';
import { explorerTests } from '../support/explorer.ts';

const PLACES = [
  ['Recife', 'PE'],
  ['Recife', 'PE'],
  ['São Paulo', 'SP'],
  ['Santos', 'SP'],
  ['Manaus', 'AM'],
  ['Lugar Nenhum', 'SP'],
] as const;

/** Six listings on one page. The city of the last one does not exist. */
const items = inFeedOrder(generateItems(PLACES.length)).map((item, index): Item => {
  const [city = '', state = ''] = PLACES[index] ?? [];
  const location = { city, state, country: 'BR' } as const;
  return { ...item, feed_item: { ...item.feed_item, location, price: 100 * (index + 1) } };
});
const titleOf = (index: number): string => items[index]?.feed_item.title ?? '';

describe('the map of the explorer in a browser', () => {
  const explorer = explorerTests(items);
  const open = (width: number, height: number) => explorer.open('/', { viewport: { width, height } });
  const marker = (page: Page, name: RegExp) => page.locator('.markers').getByRole('button', { name });
  const markers = (page: Page) => page.locator('.markers button');

  it('shows a price for each place, none hides another, and the rest is in the list', async () => {
    const page = await open(1_440, 900);
    await marker(page, /^R\$500 ?Manaus/).waitFor();
    await marker(page, /^R\$100\+ ?2 listings ?Recife/).waitFor();
    await marker(page, /^R\$300\+ ?2 listings ?São Paulo, Santos/).waitFor();
    await page.getByText('Not on the map: 1 listing.').waitFor();
    expect(await page.locator('.listing[data-id]').count()).to.equal(PLACES.length);
    const boxes = await Promise.all((await markers(page).all()).map((button) => button.boundingBox()));
    for (const [index, one] of boxes.entries())
      for (const other of boxes.slice(index + 1)) {
        if (!one || !other) throw new Error('a marker has no box');
        const isApart =
          Math.abs(one.x - other.x) >= Math.min(one.width, other.width) ||
          Math.abs(one.y - other.y) >= Math.min(one.height, other.height);
        expect(isApart, JSON.stringify([one, other])).to.equal(true);
      }
    await expectAccessible(page, 'the map');
  });

  it('opens a listing, a list of one city, and a closer view of two cities, with the keyboard', async () => {
    const page = await open(1_440, 900);
    await marker(page, /São Paulo, Santos/).focus();
    await page.keyboard.press('Enter');
    await marker(page, /^R\$300 ?São Paulo/).waitFor();
    await marker(page, /^R\$400 ?Santos/).waitFor();
    expect(await page.evaluate<string>('document.activeElement.className')).to.equal('map-frame');
    const before = await page.locator('.map-frame svg').getAttribute('viewBox');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(
      `document.querySelector('.map-frame svg').getAttribute('viewBox') !== ${JSON.stringify(before)}`,
    );
    await page.getByRole('button', { name: 'Show all results' }).press('Enter');
    await marker(page, /Recife/).press('Enter');
    await page.getByRole('heading', { name: 'Recife, PE: 2 listings' }).waitFor();
    await expectAccessible(page, 'the listings of one city');
    const link = page
      .locator('.marker-listings')
      .getByRole('link', { name: titleOf(1) })
      .last();
    expect(await link.getAttribute('href')).to.include(`listing=${items[1]?.id}`);
    await marker(page, /Manaus/).press('Enter');
    await page.waitForURL((url) => url.searchParams.get('listing') === items[4]?.id);
    await page.getByRole('dialog').waitFor();
  });

  it('loads its data only when it is shown, and stays closed after the visitor closed it', async () => {
    const page = await open(360, 740);
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (/\/map-\w+\.json$/.test(request.url())) loaded.push(request.url());
    });
    await page.reload();
    await untilSettled(page);
    expect(loaded).to.deep.equal([]);
    await page.getByRole('button', { name: 'Map' }).click();
    await marker(page, /Manaus/).waitFor();
    expect(loaded).to.have.length(1);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(360);
    await expectAccessible(page, 'the map on a phone');
    await page.getByRole('button', { name: 'Map' }).click();
    await page.reload();
    await untilSettled(page);
    expect(await page.locator('.results-map').count()).to.equal(0);
  });
});
