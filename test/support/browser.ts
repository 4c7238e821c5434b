import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result } from 'axe-core';
import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { ChromiumMissingError, launchChromium } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * Pictures of listings come from the sellers' hosts. Fixtures use only names under `.example` (RFC 2606). An image
 * from any other host is a fault.
 */
const LISTING_PICTURE = /^https:\/\/([\w-]+\.)+example\//;
/** The limit of every wait for a page. A shorter one would be a limit of the machine's speed. */
const LIMIT_MS = 120_000;
const PHONE = { width: 360, height: 800 };
/** A transparent pixel that replaces each picture of a listing, so that no request leaves the machine. */
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Records a page's layout shifts from the start of its loading, so that reading them needs no wait. */
const WATCH_SHIFTS = `{
  let sum = 0;
  const add = (entries) => {
    for (const { value, hadRecentInput } of entries) if (!hadRecentInput) sum += value;
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  window.sumLayoutShifts = () => {
    add(observer.takeRecords());
    return sum;
  };
}`;

/** A page, and a record of everything that it must not do. */
export interface WatchedPage {
  page: Page;
  /**
   * Requests and sockets to other hosts, script errors, and console messages about errors and warnings,
   * including violations of the Content-Security-Policy. Pages that the page opens count too.
   */
  faults: string[];
}

export interface PageOptions extends BrowserContextOptions {
  /** The page's current time in ISO 8601, because fixtures have their own date. */
  now?: string;
}

/** A Chromium instance for one test file. */
export interface TestBrowser {
  /** Opens a page in a new context. Pictures of listings receive a pixel from this process. */
  open(url: string, options?: PageOptions): Promise<WatchedPage>;
  /** Closes all pages, because each open page keeps up to 100 MB. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts Chromium. Skips the file's tests if the machine has no Chromium.
 * @param context the mocha context of a `before` hook
 */
export async function startBrowser(context: Mocha.Context): Promise<TestBrowser> {
  let browser: Browser;
  try {
    browser = await launchChromium({ onlyLoopback: true });
  } catch (error) {
    if (!(error instanceof ChromiumMissingError)) throw error;
    process.stderr.write(`# skipped: ${error.message}\n`);
    return context.skip();
  }
  return {
    open: (url, options) => openPage(browser, url, options),
    closePages: async () => {
      await Promise.all(browser.contexts().map((opened) => opened.close()));
    },
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
    // Playwright cannot watch the requests of a service worker. It warns about the attempt to register one.
    serviceWorkers: 'block',
    ...options,
  });
  context.setDefaultTimeout(LIMIT_MS);
  if (now !== undefined) await context.clock.setFixedTime(now);
  await context.addInitScript(WATCH_SHIFTS);
  const faults = await watch(context, new URL(url).origin);
  const page = await context.newPage();
  await page.goto(url);
  return { page, faults };
}

/** Records the faults of all pages in a context whose pages belong to this origin. */
async function watch(context: BrowserContext, origin: string): Promise<string[]> {
  const faults: string[] = [];
  await context.route(
    (target) => target.origin !== origin && /^https?:$/.test(target.protocol),
    async (route) => {
      const request = route.request();
      if (request.resourceType() === 'image' && LISTING_PICTURE.test(request.url()))
        return route.fulfill({ contentType: 'image/gif', body: PICTURE });
      faults.push(`request to another host: ${request.url()}`);
      await route.abort();
    },
  );
  context.on('page', (page) =>
    page.on('websocket', (socket) => {
      if (new URL(socket.url()).host !== new URL(origin).host)
        faults.push(`socket to another host: ${socket.url()}`);
    }),
  );
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => faults.push(`error: ${error.error().message}`));
  return faults;
}

/** The issues in the developer tools' panel that Lighthouse counts among its best practices. */
const ISSUES =
  /^(BlockedByResponse|ContentSecurityPolicy|Cookie|Cors|Deprecation|HeavyAd|MixedContent|QuirksMode)Issue$/;

/** Records the issues that the browser finds in a page from now on. */
export async function watchIssues(page: Page): Promise<string[]> {
  const issues: string[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Audits.issueAdded', ({ issue }) => {
    // An empty page between two views has no document type.
    const text = JSON.stringify(issue.details);
    if (ISSUES.test(issue.code) && !text.includes('about:blank')) issues.push(`${issue.code}: ${text}`);
  });
  await session.send('Audits.enable');
  return issues;
}

/** Waits until the page shows the answer to its current request. */
export async function untilSettled(page: Page): Promise<void> {
  await page.locator('main[aria-busy="false"]').waitFor();
}

/**
 * Copies a text with a button, and returns the text. The button says "Copied" only for a short time. On a
 * busy machine, a test may look too late, so an observer in the page waits for the word.
 */
export async function copyBy(button: Locator): Promise<string> {
  await button.evaluate((element) => {
    const copied = new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        if (!element.querySelector('[aria-live]')?.textContent?.includes('Copied')) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(element, { subtree: true, childList: true, characterData: true });
    });
    Object.assign(window, { copied });
  });
  await button.click();
  await button.page().evaluate('window.copied');
  return button.page().evaluate<string>('navigator.clipboard.readText()');
}

/** Fails if axe finds any fault against WCAG 2.2 AA or against its best practices. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  const { violations } = await runAxe(page);
  expect(violations.map(describeViolation), name).to.deep.equal([]);
}

/** Runs all rules of axe that the pages must satisfy. Only violations list all their elements. */
export async function runAxe(page: Page): Promise<AxeResults> {
  // evaluate() does not fall under the page's Content-Security-Policy. Loading the source of axe takes longer
  // than some of its runs.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  // Selectors of the elements without faults would take most of the time on a long page.
  const options = {
    runOnly: RULES,
    rules: { 'target-size': { enabled: true } },
    resultTypes: ['violations'],
  };
  return page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
}

/**
 * Uses axe to check the state that a page shows: first in the light theme at the page's own size, then in the
 * dark theme on a phone. The page needs no second load, because a theme and a size are styles. Afterwards the
 * page is as it was.
 */
export async function expectAccessibleLooks(page: Page, name: string): Promise<void> {
  await expectAccessible(page, `${name}, light`);
  const size = page.viewportSize();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(PHONE);
  await expectAccessible(page, `${name}, dark, ${PHONE.width} px`);
  await expectNoOverflow(page, name);
  await page.emulateMedia({ colorScheme: 'light' });
  if (size) await page.setViewportSize(size);
}

/** Runs in the page. Returns the page's width, and the innermost elements that reach beyond the window. */
const OVERFLOW = `(width) => {
  const wide = [...document.querySelectorAll('body *')].filter(
    (element) => element.checkVisibility() && element.getBoundingClientRect().right > width + 1,
  );
  const innermost = wide.filter((element) => !wide.some((other) => element !== other && element.contains(other)));
  return [document.documentElement.scrollWidth, innermost.map(({ outerHTML }) => outerHTML.slice(0, 140))];
}`;

/** Fails if the page is wider than its window. */
export async function expectNoOverflow(page: Page, name: string): Promise<void> {
  // A phone makes its window as wide as the page, so the size that the test has set counts.
  const { width = 0 } = page.viewportSize() ?? {};
  const [scrolled, wide] = await page.evaluate<[number, string[]]>(`(${OVERFLOW})(${width})`);
  if (scrolled <= width) return;
  expect.fail(`${name}: ${scrolled} px in a window of ${width} px: ${wide.join(', ')}`);
}

/** The sum of the page's layout shifts so far, without those that follow an input. */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(window.sumLayoutShifts())));
  })`);

const describeViolation = ({ id, help, nodes }: Result): string =>
  `${id}: ${help} (${nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`).join('; ')})`;
