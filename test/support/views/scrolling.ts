import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** Selects the elements that the Tab key reaches. */
const TAB_STOPS =
  ':is(a[href], button, input, select, textarea, summary, [tabindex]):not(:disabled, [tabindex^="-"])';

/** Runs in the page. A list box needs no tab stop, because the arrow keys in its text field scroll it. */
const WITHOUT_KEYBOARD = `(stops) => [...document.querySelectorAll('body *')]
  .filter((element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    if (![overflowX, overflowY].some((value) => value === 'auto' || value === 'scroll')) return false;
    if (!element.checkVisibility() || element.matches('[role=listbox]') || element.matches(stops)) return false;
    return ![...element.querySelectorAll(stops)].some((stop) => stop.checkVisibility());
  })
  .map((element) => element.outerHTML.slice(0, 140))`;

/**
 * Fails if an element that may scroll has no tab stop on it or in it (WCAG 2.1.1). axe reports only elements
 * that overflow at the moment, which depends on the machine's fonts.
 */
export async function expectScrollableByKeyboard(page: Page, name: string): Promise<void> {
  const without = await page.evaluate<string[]>(`(${WITHOUT_KEYBOARD})(${JSON.stringify(TAB_STOPS)})`);
  expect([...new Set(without)], `${name}: scrolling elements without a tab stop`).to.deep.equal([]);
}
