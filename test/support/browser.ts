import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result } from 'axe-core';
import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { ChromiumMissingError, launchChromium } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * Pictures of listings come from the sellers' hosts. Fixtures use only names under `.example` (RFC 2606). An image
 * from any other host is a fault.
 */
const LISTING_PICTURE = /^https:\/\/([\w-]+\.)+example\//;
/** A transparent pixel in place of each picture of a listing, so that no request leaves the machine. */
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** A page, and everything that it must not do. */
export interface WatchedPage {
  page: Page;
  /**
   * Requests and sockets to other hosts, errors of scripts, and messages of errors and warnings, which include
   * violations of the Content-Security-Policy. Pages that the page opens count too.
   */
  faults: string[];
}

export interface PageOptions extends BrowserContextOptions {
  /** The current time of the page, because fixtures have their own date. ISO 8601. */
  now?: string;
}

/** A Chromium of one test file. */
export interface TestBrowser {
  /** Opens a page in a new context. Pictures of listings receive a pixel from this process. */
  open(url: string, options?: PageOptions): Promise<WatchedPage>;
  /** Closes all pages, because each open page keeps up to 100 MB. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts Chromium. Skips the tests of the file if the machine has none.
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
  if (now !== undefined) await context.clock.setFixedTime(now);
  const faults = await watch(context, new URL(url).origin);
  const page = await context.newPage();
  await page.goto(url);
  return { page, faults };
}

/** Records the faults of all pages of a context whose pages belong to this origin. */
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

/** Waits until the page shows the answer to its current request. */
export async function untilSettled(page: Page): Promise<void> {
  await page.locator('main[aria-busy="false"]').waitFor();
}

/** Fails if axe finds any fault against WCAG 2.2 AA or against its best practices. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  // evaluate() does not fall under the page's Content-Security-Policy.
  await page.evaluate(AXE);
  const options = { runOnly: RULES, rules: { 'target-size': { enabled: true } } };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  expect(violations.map(describeViolation), name).to.deep.equal([]);
}

const describeViolation = ({ id, help, nodes }: Result): string =>
  `${id}: ${help} (${nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`).join('; ')})`;
