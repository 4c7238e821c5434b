import type { Item } from '@vitrine/feed-index';
import { TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { startBrowser, type TestBrowser, untilSettled } from './browser.ts';
import { engines } from './engines.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type QueryDeployment, startQuery } from './query-service.ts';
import { eventually } from './service-process.ts';
import { withoutOutages } from './views/view-list.ts';

/** The explorer of one test file. Its members exist while the tests run. */
export interface ExplorerTests {
  browser: TestBrowser;
  deployment: QueryDeployment;
  /** The proxy between the service and Elasticsearch. */
  proxy: FaultProxy;
  /** The faults of the page that was opened last. After each test, there must be none except outages. */
  faults: string[];
  /**
   * Waits for a fault that matches, and removes all faults. All except outages must match. If one does not,
   * the failure shows it.
   */
  expectFaults(pattern: RegExp): Promise<void>;
  /** Opens a page on the date of the fixtures, and waits for its results. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Serves items to the tests of the surrounding `describe`, and opens the explorer in Chromium. */
export function explorerTests(items: readonly Item[]): ExplorerTests {
  const tests = { faults: [] as string[] } as ExplorerTests;
  tests.open = async (path, options) => {
    const watched = await tests.browser.open(`${tests.deployment.origin}${path}`, {
      ...options,
      now: `${TODAY}T12:00:00-03:00`,
    });
    tests.faults = watched.faults;
    if (options?.javaScriptEnabled !== false) await untilSettled(watched.page);
    return watched.page;
  };
  tests.expectFaults = async (pattern) => {
    await eventually(`a fault that matches ${pattern}`, async () =>
      tests.faults.some((fault) => pattern.test(fault)),
    );
    const others = tests.faults.splice(0).filter((fault) => !pattern.test(fault));
    expect(withoutOutages(others)).to.deep.equal([]);
  };
  before(async function () {
    tests.browser = await startBrowser(this);
    tests.proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    tests.deployment = await startQuery({
      env: {
        FEED_TODAY: TODAY,
        ELASTICSEARCH_URL: tests.proxy.url,
        CACHE_FRESH_SECONDS: '1',
        CACHE_STALE_SECONDS: '0',
      },
    });
    await tests.deployment.createIndex([...items]);
  });
  afterEach(async () => {
    await tests.browser.closePages();
    expect(withoutOutages(tests.faults)).to.deep.equal([]);
  });
  after(async () => {
    await tests.browser?.close();
    tests.proxy?.become('open');
    await tests.deployment?.close();
    await tests.proxy?.close();
  });
  return tests;
}

/** The ids of the listings on the page, in order. */
export const idsOn = async (page: Page): Promise<(string | null)[]> =>
  Promise.all((await page.locator('.listing[data-id]').all()).map((card) => card.getAttribute('data-id')));

/** A day of the calendar in the filters. @param date YYYY-MM-DD */
export const dayButton = (page: Page, date: string): Locator =>
  page.locator(`.filters [data-date="${date}"]`);
