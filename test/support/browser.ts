import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result } from 'axe-core';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** A transparent pixel in place of each picture of a listing, so that no request leaves the machine. */
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** A page, and everything that it must not do. */
interface WatchedPage {
  page: Page;
  /** Messages of errors and warnings, and URLs of requests to other hosts. Pictures are not in the list. */
  faults: string[];
}

export interface PageOptions extends BrowserContextOptions {
  /** The current time of the page, because fixtures have their own date. ISO 8601. */
  now?: string;
}

/** A Chromium of one test file. */
export interface TestBrowser {
  /** Opens a page in a new context. Pictures from other hosts receive a pixel from this process. */
  open(url: string, options?: PageOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

/**
 * Starts Chromium. Skips the tests of the file if the machine has none.
 * @param context the mocha context of a `before` hook
 */
export async function startBrowser(context: Mocha.Context): Promise<TestBrowser> {
  const browser = await launchChromium();
  if (browser === undefined) {
    console.log('# no Chromium on this machine: the tests of the pages are skipped (CONTRIBUTING.md)');
    return context.skip();
  }
  return {
    open: (url, options) => openPage(browser, url, options),
    close: () => browser.close(),
  };
}

async function openPage(
  browser: Browser,
  url: string,
  { now, ...options }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 900 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  if (now !== undefined) await context.clock.setFixedTime(now);
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(url);
  await context.route(
    (target) => target.origin !== origin && /^https?:$/.test(target.protocol),
    async (route) => {
      if (route.request().resourceType() === 'image')
        return route.fulfill({ contentType: 'image/gif', body: PICTURE });
      faults.push(`request to another host: ${route.request().url()}`);
      await route.abort();
    },
  );
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`));
  await page.goto(url);
  return { page, faults };
}

/** Waits until the page shows the answer to its current request. */
export async function untilSettled(page: Page): Promise<void> {
  await page.locator('main[aria-busy="false"]').waitFor();
}

/** Fails if axe finds a serious or critical fault against WCAG 2.2 AA. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  // evaluate() does not fall under the page's Content-Security-Policy.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(RULES)} })`);
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(describeViolation), name).to.deep.equal([]);
}

const describeViolation = ({ id, help, nodes }: Result): string =>
  `${id}: ${help} (${nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`).join('; ')})`;
