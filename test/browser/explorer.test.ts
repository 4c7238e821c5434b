import { execFileSync } from 'node:child_process';
import { type Item, offersOf } from '@vitrine/feed-index';
import { day, generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { copyBy, untilSettled } from '../support/browser.ts';
import { dayButton, explorerTests, idsOn } from '../support/explorer.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { eventually } from '../support/service-process.ts';

const HOSTILE = '<img src=x onerror="document.title=1"> & "quotes"';
const [first, ...others] = inFeedOrder(generateItems(400));
const hostile = { ...first, feed_item: { ...first?.feed_item, title: HOSTILE } } as Item;
const items = [hostile, ...others];

const isFree = (item: Item, dates: string[]) =>
  dates.every((date) => offersOf(item).some((offer) => offer.date === date));
const apartments = (dates: string[]) =>
  items
    .filter(({ city, category }) => city === 'recife' && category === 'apartamento')
    .filter((item) => isFree(item, dates));
/** The dates from 5 to 7 December, and those from 6 to 8 December. */
const RANGE = [day(4), day(5), day(6)];
const NEXT_RANGE = [day(5), day(6), day(7)];

/** Runs the copied command in a shell, with a program in place of curl that only prints its argument. */
const urlOfCurl = (command: string): string =>
  execFileSync('sh', ['-c', command.replace(/^curl /, "printf '%s' ")], { encoding: 'utf8' });

describe('the explorer in a browser', () => {
  const explorer = explorerTests(items);
  const { open } = explorer;

  it('finds apartments of a city on dates, moves the dates by the chart, and copies the request', async () => {
    const page = await open('/');
    await page.getByRole('combobox', { name: 'City', exact: true }).fill('reci');
    await page.getByRole('option', { name: /^Recife \d+$/ }).click();
    await page.getByRole('combobox', { name: 'Category', exact: true }).click();
    await page.getByRole('option', { name: /^Apartamento \d+$/ }).click();
    await dayButton(page, RANGE[0] ?? '').click();
    await dayButton(page, RANGE[2] ?? '').click();
    const expected = apartments(RANGE);
    await page.getByRole('heading', { name: `${expected.length} listings`, exact: true }).waitFor();
    expect(await idsOn(page)).to.deep.equal(expected.slice(0, 12).map(({ id }) => id));

    await page.getByRole('button', { name: /^\d+ Dec 6 / }).click();
    const moved = apartments(NEXT_RANGE);
    await page.getByRole('heading', { name: `${moved.length} listings`, exact: true }).waitFor();
    await untilSettled(page);
    await page.getByRole('button', { name: 'For developers' }).click();
    await page.getByRole('tab', { name: 'curl' }).click();
    const url = urlOfCurl(await copyBy(page.getByRole('button', { name: 'Copy curl' })));
    const { data } = (await (await fetchAccepted(url)).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).to.deep.equal(moved.slice(0, 12).map(({ id }) => id));
    expect(await idsOn(page)).to.deep.equal(data.map(({ id }) => id));
  });

  it('does the same with the keyboard alone', async () => {
    const page = await open('/');
    const { keyboard } = page;
    /** Presses Tab until the element has the focus, at most 40 times. */
    const tabTo = async (target: Locator): Promise<void> => {
      for (let i = 0; i < 40; i++) {
        if ((await target.and(page.locator(':focus')).count()) > 0) return;
        await keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${target}`);
    };
    const chooseFirst = async (label: string, text: string): Promise<void> => {
      await tabTo(page.getByRole('combobox', { name: label, exact: true }));
      const isAnswered = page.waitForResponse(
        (response) => response.request().postData()?.includes(`"query":"${text}"`) ?? false,
      );
      // The field keeps the options of an older text until the answer arrives. If the test pressed single
      // keys, each beginning of the text would be such an older text.
      await keyboard.insertText(text);
      await isAnswered;
      const options = page.locator('[role=option]');
      await eventually('the options that begin with the text', async () => {
        const names = await options.allTextContents();
        return names.length > 0 && names.every((name) => name.toLowerCase().startsWith(text));
      });
      await keyboard.press('ArrowDown');
      await page.locator('[role=option][aria-selected=true]').waitFor();
      await keyboard.press('Enter');
    };
    await tabTo(page.getByRole('button', { name: 'For developers' }));
    await keyboard.press('Enter');
    await chooseFirst('City', 'reci');
    // A key that is pressed twice keeps the choice.
    await keyboard.press('Enter');
    await tabTo(dayButton(page, TODAY));
    for (const key of [
      'ArrowRight',
      'ArrowRight',
      'ArrowRight',
      'ArrowRight',
      'Enter',
      'ArrowRight',
      'ArrowRight',
      'Enter',
    ])
      await keyboard.press(key);
    await chooseFirst('Category', 'apar');
    const expected = apartments(RANGE);
    await page.getByRole('heading', { name: `${expected.length} listings`, exact: true }).waitFor();
    await tabTo(page.getByRole('button', { name: /^\d+ Dec 6 / }));
    await keyboard.press('Enter');
    const moved = apartments(NEXT_RANGE);
    await page.getByRole('heading', { name: `${moved.length} listings`, exact: true }).waitFor();
    await untilSettled(page);
    expect(await idsOn(page)).to.deep.equal(moved.slice(0, 12).map(({ id }) => id));
    await tabTo(page.getByRole('tab', { name: 'URL' }));
    await keyboard.press('ArrowRight');
    await tabTo(page.getByRole('tab', { name: 'curl' }));
    expect(await page.getByRole('tabpanel', { name: 'curl' }).textContent()).to.match(/^curl 'http/);
  });

  it('shows markup in a title as text', async () => {
    const page = await open('/');
    const title = page.getByRole('heading', { name: HOSTILE });
    expect(await title.textContent()).to.equal(HOSTILE);
    expect(await title.locator('img').count()).to.equal(0);
    expect(await page.title()).to.equal('Vitrine');
  });

  it('keeps its state in the URL: reload and the back button restore it', async () => {
    const page = await open('/?city=recife');
    const before = await idsOn(page);
    await page.getByRole('tab', { name: /^For sale/ }).click();
    await page.waitForURL(/type=sale/);
    await untilSettled(page);
    const after = await idsOn(page);
    expect(after).not.to.deep.equal(before);
    await page.reload();
    await untilSettled(page);
    expect(await idsOn(page)).to.deep.equal(after);
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('type'));
    await untilSettled(page);
    expect(await idsOn(page)).to.deep.equal(before);
  });

  it('moves by page and by cursor', async () => {
    const page = await open('/');
    const ids = items.map(({ id }) => id);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('Page 2 of 34').waitFor();
    expect(await page.evaluate<string>('document.activeElement.id')).to.equal('results');
    await untilSettled(page);
    expect(await idsOn(page)).to.deep.equal(ids.slice(12, 24));
    await page.getByRole('button', { name: 'By cursor' }).click();
    await page.waitForURL(/cursor=/);
    await untilSettled(page);
    expect(await idsOn(page)).to.deep.equal(ids.slice(0, 12));
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.waitForURL(/cursor=(?!\*|%2A)/);
    await untilSettled(page);
    expect(await idsOn(page)).to.deep.equal(ids.slice(12, 24));
  });

  it('explains an empty result, and offers a value that exists', async () => {
    const page = await open('/?city=recif');
    await page.getByRole('button', { name: /^Recife \d+$/ }).click();
    await page.waitForURL(/city=recife/);
    await untilSettled(page);
    expect(await idsOn(page)).to.have.lengthOf(12);
  });

  it("shows a problem in the service's own words", async () => {
    const page = await open('/?date=2026-12-05&date_to=2026-12-04');
    const alert = page.getByRole('alert');
    const { detail, errors } = (await (
      await fetch(`${explorer.deployment.origin}/api/ai-feed?date=2026-12-05&date_to=2026-12-04`)
    ).json()) as { detail?: string; errors: { detail: string }[] };
    for (const words of [detail ?? '400', ...errors.map((error) => error.detail)])
      expect(await alert.textContent()).to.include(words);
    await explorer.expectFaults(/status of 400/);
  });

  it('says that the feed is unavailable, and recovers', async () => {
    explorer.proxy.become('refuse');
    const page = await open('/?city=sao-paulo&type=rent');
    await page.getByRole('alert').getByText('503').waitFor();
    explorer.proxy.become('open');
    await page.locator('.listing[data-id]').first().waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
    await explorer.expectFaults(/status of 50\d/);
  });
});
