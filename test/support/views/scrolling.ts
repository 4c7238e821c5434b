import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** What receives the focus from the Tab key. */
const TAB_STOPS =
  ':is(a[href], button, input, select, textarea, summary, [tabindex]):not(:disabled, [tabindex^="-"])';

/** Runs in the page. The options of a list box need no tab stop, because the arrow keys of its text field scroll it. */
const WITHOUT_KEYBOARD = `(stops) => [...document.querySelectorAll('body *')]
  .filter((element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    if (![overflowX, overflowY].some((value) => value === 'auto' || value === 'scroll')) return false;
    if (!element.checkVisibility() || element.matches('[role=listbox]') || element.matches(stops)) return false;
    return ![...element.querySelectorAll(stops)].some((stop) => stop.checkVisibility());
  })
  .map((element) => element.outerHTML.slice(0, 140))`;

/**
 * Fails if the keyboard cannot scroll a frame (WCAG 2.1.1). Whether a frame is too small for its content depends on the
 * machine's fonts, so each frame that may scroll counts. axe reports only those that do.
 */
export async function expectScrollableByKeyboard(page: Page, name: string): Promise<void> {
  const without = await page.evaluate<string[]>(`(${WITHOUT_KEYBOARD})(${JSON.stringify(TAB_STOPS)})`);
  expect([...new Set(without)], `${name}: frames without a tab stop`).to.deep.equal([]);
}
