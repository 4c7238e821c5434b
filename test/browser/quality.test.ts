import { expect } from 'chai';
import { expectAccessible, startBrowser, type TestBrowser } from '../support/browser.ts';
import { type LighthouseBrowser, startLighthouse, type ViewQuality } from '../support/views/lighthouse.ts';
import { expectTargets } from '../support/views/targets.ts';
import {
  consoleViews,
  documentationViews,
  explorerViews,
  untilShown,
  type View,
} from '../support/views/view-list.ts';
import { startViewSystem, type ViewSystem } from '../support/views/view-system.ts';

/** The compressed scripts of a page in bytes (docs/decisions/0133-quality-of-views.md). */
const MAX_SCRIPTS: Record<string, number> = { explorer: 70_000, documentation: 30_000 };
const MAX_SHIFT = 0.05;
/** Pages of the documentation that Lighthouse opens: one of each kind. */
const KINDS =
  /\/docs(\/pt-BR)?(\/guides\/crawlers|\/reference|\/reference\/getPublicFeed|\/rules|\/errors\/unavailable|\/limits)?$/;
/** Views of the explorer and of the console whose parts another measured view has. */
const SIMILAR =
  /(: (stay|place|a past date|a page beyond the last|cursor|unknown listing|explain))$|(superseded|listings with|explain an|a hidden listing|dropped)/;

describe('the quality of every view', () => {
  let browser: TestBrowser;
  let lighthouse: LighthouseBrowser;
  let system: ViewSystem;

  before(async function () {
    browser = await startBrowser(this);
    system = await startViewSystem();
    lighthouse = await startLighthouse();
  });
  after(async () => {
    await lighthouse?.close();
    await browser?.close();
    await system?.close();
  });

  const GROUPS: Record<string, (language: string) => Promise<View[]>> = {
    explorer: async () => explorerViews(system),
    documentation: async (language) =>
      language === 'en-US'
        ? documentationViews(system)
        : (await documentationViews(system, language)).filter(({ url }) => KINDS.test(url)),
    console: async () => consoleViews(system),
  };
  const faultsOf = async (checks: (() => Promise<void>)[]): Promise<string[]> => {
    const faults: string[] = [];
    for (const check of checks) await check().catch((error: Error) => faults.push(error.message));
    return faults;
  };

  for (const [group, viewsOf] of Object.entries(GROUPS))
    for (const [colorScheme, width, locale] of [
      ['light', 1_280, 'en-US'],
      ['dark', 360, 'pt-BR'],
    ] as const)
      it(`${group}: nothing that axe reports, and large targets, ${colorScheme} at ${width} px`, async () => {
        const touch = width === 360;
        const options = {
          colorScheme,
          locale,
          viewport: { width, height: 900 },
          hasTouch: touch,
          isMobile: touch,
        };
        const all: string[] = [];
        const views = await viewsOf(locale);
        expect(views).to.have.lengthOf.at.least(7);
        for (const { name, url, act } of views) {
          const { page, faults } = await browser.open(url, options);
          await untilShown(page);
          await act?.(page);
          const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
          const found = await faultsOf([
            () => expectAccessible(page, name),
            () => expectTargets(page, name, touch ? 44 : 24),
          ]);
          // The page of an unknown listing has the status 404.
          const own = faults.filter((fault) => !(name.includes('unknown listing') && fault.includes('404')));
          all.push(...found, ...own.map((fault) => `${name}: ${fault}`));
          if (scrolled > width) all.push(`${name}: is ${scrolled} px wide`);
          await page.context().close();
        }
        expect(all).to.deep.equal([]);
      });

  /** Measures again if a page moved: an outage that begins during a measurement adds lines that move the page. */
  const settledQuality = async (url: string, attempts = 3): Promise<ViewQuality> => {
    const quality = await lighthouse.measure(url, 'provided');
    return quality.layoutShift > MAX_SHIFT && attempts > 1 ? settledQuality(url, attempts - 1) : quality;
  };

  for (const [group, viewsOf] of Object.entries(GROUPS))
    it(`${group}: Lighthouse on a phone, layout shift and size of the scripts`, async () => {
      const views = (await viewsOf('en-US')).filter(({ name, url }) =>
        group === 'documentation' ? KINDS.test(url) : !SIMILAR.test(name),
      );
      expect(views).to.have.lengthOf.at.least(5);
      const all: string[] = [];
      for (const { name, url } of views) {
        const quality = await settledQuality(url);
        const { accessibility, bestPractices, layoutShift, scriptBytes, faults } = quality;
        const limit = MAX_SCRIPTS[group] ?? Number.POSITIVE_INFINITY;
        if (accessibility < 100 || bestPractices < 96 || layoutShift > MAX_SHIFT || scriptBytes > limit)
          all.push(
            `${name}: ${JSON.stringify({ accessibility, bestPractices, layoutShift, scriptBytes })} ${faults.join(' ')}`,
          );
      }
      expect(all).to.deep.equal([]);
    });
});
