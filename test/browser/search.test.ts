import type { Item } from '@vitrine/feed-index';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, layoutShift, untilSettled } from '../support/browser.ts';
import { dayButton, explorerTests, idsOn } from '../support/explorer.ts';
import { eventually } from '../support/service-process.ts';

const STATES: Record<string, string> = { recife: 'PE', 'sao-paulo': 'SP', 'belo-horizonte': 'MG' };
const NAMES: Record<string, string> = { apartamento: 'Apartamento mobiliado', casa: 'Casa de praia' };

/** The fixtures with states, ratings and category names, so that the explorer has something to name. */
const items: Item[] = generateItems(400).map((item, number) => {
  const state = STATES[item.city ?? ''];
  const category = item.category && NAMES[item.category];
  return {
    ...item,
    labels: { ...item.labels, ...(category && { category }) },
    feed_item: {
      ...item.feed_item,
      location: { ...item.feed_item.location, ...(state && { state }) },
      ...(number % 3 > 0 && { rating: 3 + (number % 21) / 10 }),
    },
  };
});

/** The total of the cheapest free run of nights, in BRL. */
function cheapest({ calendar }: Item, dates: string[], nights: number): number | undefined {
  const totals = dates.slice(0, dates.length - nights + 1).flatMap((_, first) => {
    const run = dates
      .slice(first, first + nights)
      .map((date) => calendar.find((entry) => entry.date === date && entry.available));
    return run.some((night) => night === undefined)
      ? []
      : [run.reduce((sum, night) => sum + (night?.price ?? 0), 0)];
  });
  return totals.length > 0 ? Math.min(...totals) : undefined;
}

const WINDOW = Array.from({ length: 9 }, (_, days) => day(4 + days));
/** Rentals in Recife that are free for three nights in the window for at most R$ 1,500, cheapest first. */
const STAYS = items
  .filter(({ city, ad_type }) => city === 'recife' && ad_type === 'rent')
  .map((item) => ({ id: item.id, total: cheapest(item, WINDOW, 3) ?? Number.POSITIVE_INFINITY }))
  .filter(({ total }) => total <= 1_500)
  .sort((a, b) => a.total - b.total || (a.id < b.id ? -1 : 1));

const heading = (page: Page, count: number) =>
  page.getByRole('heading', { name: `${count} listing${count === 1 ? '' : 's'}`, exact: true });
const chips = (page: Page) => page.getByRole('list', { name: 'Active filters' }).getByRole('button');
const PHONE = { viewport: { width: 360, height: 740 } };

describe('the search in the explorer', () => {
  const explorer = explorerTests(items);

  it('finds a free place for three nights below a total, and shows the same on a phone', async () => {
    const page = await explorer.open('/');
    await page.getByRole('combobox', { name: 'City', exact: true }).fill('reci');
    await page.getByRole('option', { name: /^Recife \d+$/ }).click();
    await page.getByRole('tab', { name: /^For rent/ }).click();
    await dayButton(page, WINDOW[0] ?? '').click();
    await dayButton(page, WINDOW.at(-1) ?? '').click();
    await page.getByRole('combobox', { name: 'Length of stay' }).selectOption('3');
    await page.getByRole('spinbutton', { name: 'Total for the stay in R$, up to' }).fill('1500');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Order' }).selectOption('total_price');
    await heading(page, STAYS.length).waitFor();
    await page.waitForURL(/sort=total_price/);
    await untilSettled(page);
    expect(STAYS.length).to.be.greaterThan(3);
    expect(await idsOn(page)).to.deep.equal(STAYS.slice(0, 12).map(({ id }) => id));

    const { pathname, search } = new URL(page.url());
    const phone = await explorer.open(`${pathname}${search}`, PHONE);
    expect(await idsOn(phone)).to.deep.equal(STAYS.slice(0, 12).map(({ id }) => id));
    expect(await chips(phone).allInnerTexts()).to.satisfy((texts: string[]) =>
      ['For rent', 'Recife', '3 nights', 'Total: up to R$1,500'].every((text) =>
        texts.some((found) => found.replace(/\s/g, ' ').includes(text)),
      ),
    );
  });

  it('shows the number and the chips first on a phone, then the number of filters and a listing', async () => {
    const dates = `date=${day(4)}&date_to=${day(6)}`;
    const path = `/?city=recife&category=apartamento&max_price=90000&${dates}`;
    const page = await explorer.open(path, { viewport: { width: 360, height: 800 }, hasTouch: true });
    const button = page.getByRole('button', { name: 'Filters (4)' });
    const order = [page.locator('#total'), chips(page).first(), button, page.locator('.listing').first()];
    const top = (element: Element) => element.getBoundingClientRect().top;
    const tops = await Promise.all(order.map((one) => one.evaluate(top)));
    expect(tops).to.deep.equal(tops.toSorted((a, b) => a - b));
    expect(tops.at(-1)).to.be.below(700);
    expect(await page.getByRole('combobox', { name: 'City', exact: true }).isVisible()).to.equal(false);
    await button.click();
    // A screen reader continues in the panel.
    await page.waitForFunction(() => document.activeElement?.id === 'filters');
    expect(await page.getByRole('combobox', { name: 'City', exact: true }).inputValue()).to.equal('Recife');
    expect(await page.getByRole('combobox', { name: 'Category', exact: true }).inputValue()).to.equal(
      'Apartamento mobiliado',
    );
    // A guest needs no degrees, and finds the calendar below the city.
    expect(await page.getByRole('spinbutton', { name: 'Latitude' }).isVisible()).to.equal(false);
    const fields = page.locator('.filters').locator('input, select, .calendar');
    expect(await fields.nth(1).getAttribute('class')).to.equal('calendar');
    await page.getByText('Coordinates and feed').click();
    expect(await page.getByRole('spinbutton', { name: 'Latitude' }).isVisible()).to.equal(true);
    await page.getByRole('button', { name: /^Show \d+ listings?$/ }).click();
    expect(await page.getByRole('combobox', { name: 'City', exact: true }).isVisible()).to.equal(false);
  });

  it('names the categories in the page of the service', async () => {
    // The service reads the names of the categories with its first pages, which do not wait long for them.
    await eventually('the name of a category', async () => {
      const response = await fetch(`${explorer.deployment.origin}/?city=recife&category=casa`);
      return (await response.text()).includes('<span class="chip">Casa de praia</span>');
    });
  });

  it('removes each filter by its chip, until all listings remain', async () => {
    const page = await explorer.open(
      `/?type=rent&city=recife,sao-paulo&state=pe&date=${day(4)}&date_to=${day(9)}&nights=2` +
        '&max_price=900&max_total_price=2000&min_rating=3&lat=-8.058&lng=-34.883&localOnly=true',
    );
    const removals = page.getByRole('button', { name: /^Remove: / });
    expect(await removals.count()).to.equal(11);
    await page.getByRole('button', { name: 'Remove: Recife', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('city') === 'sao-paulo');
    expect(await removals.count()).to.equal(10);
    // Nights and totals have no meaning without dates.
    await page.getByRole('button', { name: /^Remove: Dec 5/ }).click();
    await page.waitForURL((url) => !/date|nights|total/.test(url.search));
    expect(await removals.count()).to.equal(7);
    await page.getByRole('button', { name: 'Remove all' }).click();
    await heading(page, items.length).waitFor();
    expect(new URL(page.url()).search).to.equal('');
    expect(await chips(page).count()).to.equal(0);
  });

  it('counts listings by price, and each bar leads to the number that it names', async () => {
    const page = await explorer.open('/?city=recife');
    const bars = page.locator('.price-bars button');
    await bars.first().waitFor();
    const inRecife = items.filter(({ city }) => city === 'recife');
    let sum = 0;
    const titles = '[...document.querySelectorAll(".price-bars button")].map((one) => one.title)';
    for (const title of await page.evaluate<string[]>(titles))
      sum += Number(/: (\d+) listing/.exec(title)?.[1]);
    expect(sum).to.equal(inRecife.length);
    const title = (await bars.nth(2).getAttribute('title')) ?? '';
    await bars.nth(2).click();
    await heading(page, Number(/: (\d+) listing/.exec(title)?.[1])).waitFor();
    const limits = new URL(page.url()).searchParams;
    const [min, max] = [Number(limits.get('min_price')), Number(limits.get('max_price'))];
    const expected = inRecife.filter(({ feed_item: { price } }) => price >= min && price <= max);
    await heading(page, expected.length).waitFor();
  });

  it('exchanges limits that were entered in the wrong order', async () => {
    const page = await explorer.open('/?min_price=500');
    await page.getByRole('spinbutton', { name: 'Price in R$, up to' }).fill('100');
    await page.keyboard.press('Enter');
    await page.waitForURL(/min_price=100&max_price=500/);
    await untilSettled(page);
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('narrows by state and rating, and orders by rating', async () => {
    const page = await explorer.open('/');
    await page.getByRole('combobox', { name: 'State' }).selectOption('Pernambuco');
    await page.getByRole('combobox', { name: 'Rating' }).selectOption('4.5');
    await page.getByRole('combobox', { name: 'Order' }).selectOption('rating');
    const expected = items
      .filter(({ city, feed_item: { rating = 0 } }) => city === 'recife' && rating >= 4.5)
      .map(({ id, feed_item: { rating = 0 } }) => ({ id, rating }))
      .sort((a, b) => b.rating - a.rating || (a.id < b.id ? -1 : 1));
    await heading(page, expected.length).waitFor();
    await page.waitForURL(/sort=rating/);
    await untilSettled(page);
    expect(await idsOn(page)).to.deep.equal(expected.slice(0, 12).map(({ id }) => id));
    expect(await page.locator('.listings').innerText()).not.to.match(/apartamento$|sao-paulo/m);
  });

  it('marks the requested stay among the other stays', async () => {
    const page = await explorer.open(`/?type=rent&date=${WINDOW[0]}&nights=3`);
    await page.getByRole('heading', { name: 'Other stays' }).waitFor();
    await untilSettled(page);
    expect(await page.locator('.neighbors button[aria-pressed=true]').count()).to.equal(1);
  });

  it('says that dates are in the past, and leads to dates that exist', async () => {
    const page = await explorer.open(`/?date=${day(-3)}&date_to=${day(-2)}`);
    await page.getByText('These dates are in the past.').waitFor();
    await page.getByRole('button', { name: 'Search from today' }).click();
    await page.waitForURL((url) => url.searchParams.get('date') === TODAY);
    expect(new URL(page.url()).searchParams.get('date_to')).to.equal(day(1));
    await page.locator('.listing[data-id]').first().waitFor();
  });

  it('says that a page is beyond the end, and leads back', async () => {
    const page = await explorer.open('/?page=9999');
    await page.getByText('Page 9,999 does not exist. The last one is 34.').waitFor();
    await page.getByRole('button', { name: 'Last page' }).click();
    await page.waitForURL(/page=34/);
    await page.locator('.listing[data-id]').first().waitFor();
    expect(await idsOn(page)).to.have.lengthOf(items.length - 33 * 12);
  });

  it('leads away from a request that the service refuses', async () => {
    const page = await explorer.open('/?cursor=broken');
    await page.getByRole('alert').getByText('cursor').first().waitFor();
    await page.getByRole('button', { name: 'Start over' }).click();
    await heading(page, items.length).waitFor();
    await explorer.expectFaults(/status of 400/);
  });

  it('shows the same totals in the heading and on the tabs, even after a failed request', async () => {
    const page = await explorer.open('/');
    await page.route('**/mcp', (route) => route.abort());
    await page.getByRole('combobox', { name: 'State' }).selectOption('Pernambuco');
    await untilSettled(page);
    await eventually('a request for counts fails', async () =>
      explorer.faults.some((fault) => fault.includes('ERR_FAILED')),
    );
    await page.unroute('**/mcp');
    const recife = items.filter(({ city }) => city === 'recife');
    const tab = (name: string, count: number) =>
      page.getByRole('tab', { name: `${name} (${count})`, exact: true });
    await tab('All', recife.length).waitFor();
    for (const [name, type] of [
      ['For sale', 'sale'],
      ['For rent', 'rent'],
      ['Services', 'service'],
    ] as const)
      await tab(name, recife.filter(({ ad_type }) => ad_type === type).length).waitFor();
    await heading(page, recife.length).waitFor();
    await explorer.expectFaults(/ERR_FAILED/);
  });

  it('dims old results while new ones load', async () => {
    const page = await explorer.open('/');
    const before = await idsOn(page);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/ai-feed*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('combobox', { name: 'Order' }).selectOption('price');
    const opacity = () =>
      page.evaluate<string>("getComputedStyle(document.querySelector('.listings').parentElement).opacity");
    await eventually('the results are dimmed', async () => Number(await opacity()) < 0.9);
    expect(await idsOn(page)).to.deep.equal(before);
    answer();
    await untilSettled(page);
    await eventually('the results are clear', async () => (await opacity()) === '1');
    expect(await idsOn(page)).not.to.deep.equal(before);
  });

  it('moves in the calendar with the keys of a calendar, and never into the past', async () => {
    const page = await explorer.open('/');
    await dayButton(page, TODAY).focus();
    const focused = () => page.evaluate<string | undefined>('document.activeElement.dataset.date');
    const moves: [key: string, date: string][] = [
      ['PageDown', '2027-01-01'],
      ['End', '2027-01-02'],
      ['ArrowDown', '2027-01-09'],
      ['Home', '2027-01-03'],
      ['PageUp', '2026-12-03'],
      ['PageUp', TODAY],
      ['ArrowLeft', TODAY],
    ];
    for (const [key, date] of moves) {
      await page.keyboard.press(key);
      expect(await focused(), key).to.equal(date);
    }
  });

  for (const [name, path] of [
    ['the start', '/'],
    ['dates', `/?type=rent&city=recife&date=${day(4)}&date_to=${day(6)}&sort=total_price`],
    ['an empty result', '/?city=recif'],
  ] as const)
    it(`does not move what a visitor reads on a phone: ${name}`, async () => {
      const page = await explorer.open(path, PHONE);
      // The tabs' counts arrive before the page in one round, and after it in the other.
      for (const slow of ['**/ai-feed*', '**/mcp']) {
        await page.route(slow, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 400));
          await route.continue();
        });
        await page.reload();
        await untilSettled(page);
        await page.getByRole('tab', { name: /^All \(\d+\)$/ }).waitFor();
        expect(await layoutShift(page), slow).to.be.at.most(0.05);
        await page.unroute(slow);
      }
    });

  it('is accessible with every filter, open on a phone', async () => {
    const page = await explorer.open(
      `/?type=rent&city=recife&date=${day(4)}&date_to=${day(9)}&nights=2&max_price=900&min_rating=3`,
      { viewport: { width: 360, height: 900 }, locale: 'pt-BR', hasTouch: true },
    );
    await page.getByRole('button', { name: /^Filtros \(6\)$/ }).click();
    await page.locator('.price-bars button').first().waitFor();
    await expectAccessible(page, 'all filters');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(360);
  });
});
