import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** What a person can click or touch. */
const TARGETS = 'a[href], button, input, select, textarea, summary, [role=tab], [role=option], [role=button]';

/**
 * Runs in the page. A link in a sentence is not a target of its own (WCAG 2.5.8), and a box with a label is as large as
 * both. A target that only screen readers or the keyboard reach has one pixel.
 */
const SMALL_TARGETS = `(selector, least) => {
  const inSentence = (element) =>
    element.matches('a') &&
    getComputedStyle(element).display === 'inline' &&
    element.parentElement.textContent.trim() !== element.textContent.trim();
  return [...document.querySelectorAll(selector)].flatMap((element) => {
    const isBox = element.matches('[type=checkbox], [type=radio]');
    const target = (isBox && element.closest('label')) || element;
    // A pseudo-element can extend a link over its card.
    const isExtended = getComputedStyle(target, '::after').position === 'absolute';
    const { width, height } = (isExtended ? target.offsetParent : target).getBoundingClientRect();
    if (!element.checkVisibility({ visibilityProperty: true }) || width <= 1 || height <= 1) return [];
    if (inSentence(element) || (width >= least - 0.5 && height >= least - 0.5)) return [];
    return [target.outerHTML.slice(0, 140) + ': ' + Math.round(width) + '×' + Math.round(height)];
  });
}`;

/** Fails if a visible target is smaller than this in either dimension. @param pixels the smallest size */
export async function expectTargets(page: Page, name: string, pixels: number): Promise<void> {
  const small = await page.evaluate<string[]>(`(${SMALL_TARGETS})(${JSON.stringify(TARGETS)}, ${pixels})`);
  expect([...new Set(small)], `${name}: targets below ${pixels} px`).to.deep.equal([]);
}
