import { createHash } from 'node:crypto';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ask } from '../contract/http-answer.ts';
import { expectAccessible, type PageOptions, startBrowser, type TestBrowser } from '../support/browser.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

/** Scalar needs some time for its script of 3.5 MB on a slow machine. */
const SLOW = { timeout: 60_000 };

describe('the API reference in a browser', () => {
  let browser: TestBrowser;
  let deployment: QueryDeployment;
  let faults: string[] = [];
  const open = async (path: string, options?: PageOptions): Promise<Page> => {
    const watched = await browser.open(`${deployment.origin}${path}`, options);
    faults = watched.faults;
    return watched.page;
  };

  before(async function () {
    browser = await startBrowser(this);
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(generateItems(20));
  });
  afterEach(async () => {
    await browser.closePages();
    expect(faults).to.deep.equal([]);
  });
  after(async () => {
    await browser?.close();
    await deployment?.close();
  });

  it('lists every operation, and "try it" receives a page from this service', async () => {
    const page = await open('/api/docs');
    const { paths } = JSON.parse((await ask(`${deployment.origin}/api/openapi.json`)).text) as {
      paths: Record<string, { get: { summary: string } }>;
    };
    for (const { get } of Object.values(paths))
      await page
        .getByRole('heading', { name: get.summary, exact: true })
        .first()
        .waitFor({ ...SLOW, state: 'attached' });
    await page
      .getByRole('button', { name: /^Test Request/ })
      .first()
      .click(SLOW);
    const answered = page.waitForResponse((response) => response.url().includes('/api/public-feed'), SLOW);
    await page.getByRole('button', { name: /^Send/ }).first().click(SLOW);
    const response = await answered;
    expect([response.status(), new URL(response.url()).origin]).to.deep.equal([200, deployment.origin]);
  });

  it('follows the theme, and says in Portuguese that the descriptions are English', async () => {
    const page = await open('/api/docs', { colorScheme: 'dark', locale: 'pt-BR' });
    await page.locator('body.dark-mode').waitFor({ ...SLOW, state: 'attached' });
    await page.getByText('As descrições da API estão em inglês.').waitFor(SLOW);
    await page.getByLabel('Tema').selectOption('light');
    await page.locator('body.light-mode').waitFor({ ...SLOW, state: 'attached' });
  });

  // A theme changes only colors, so each theme is checked at one width or two.
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [768, 'light'],
    [1_440, 'light'],
  ] as const)
    it(`is accessible in the ${colorScheme} theme at ${width} px`, async () => {
      const page = await open('/api/docs', { colorScheme, viewport: { width, height: 900 } });
      await page
        .locator('.property-description')
        .first()
        .waitFor({ ...SLOW, state: 'attached' });
      await page.waitForLoadState('networkidle');
      await expectAccessible(page, `${width} px, ${colorScheme}`);
    });

  it('leads to the guides without scripts', async () => {
    const page = await open('/api/docs', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'guide for crawlers' }).click();
    await page.getByRole('heading', { name: 'Legacy names' }).waitFor();
  });

  for (const name of ['crawlers', 'agents'])
    it(`the guide for ${name} is accessible in both languages, themes and widths`, async () => {
      const seen = new Set<string>();
      for (const locale of ['en-US', 'pt-BR'])
        for (const colorScheme of ['light', 'dark'] as const) {
          const viewport = { width: colorScheme === 'dark' ? 360 : 1_440, height: 900 };
          const page = await open(`/api/docs/${name}`, { locale, colorScheme, viewport });
          await expectAccessible(page, `${name}, ${locale}, ${colorScheme}`);
          const width = await page.evaluate<number>('document.documentElement.scrollWidth');
          expect(width, `${locale}, ${viewport.width} px`).to.be.at.most(viewport.width);
          expect(await page.locator('article:visible').count()).to.equal(1);
          seen.add(
            createHash('sha256')
              .update(await page.locator('article:visible').innerText())
              .digest('hex'),
          );
          expect(faults).to.deep.equal([]);
          await page.context().close();
        }
      expect(seen).to.have.lengthOf(2);
    });

  it('every GET example of the guides gets a response from this service', async () => {
    for (const name of ['crawlers', 'agents']) {
      const { text } = await ask(`${deployment.origin}/api/docs/${name}`);
      const urls = [
        ...text.replaceAll('&amp;', '&').matchAll(/curl (?:-\S+ )*&#39;(http[^&]*(?:&(?!#39;)[^&]*)*)&#39;/g),
      ].map(([, url = '']) => url);
      expect(urls, name).to.have.lengthOf.at.least(2);
      for (const url of urls) {
        expect(new URL(url).origin).to.equal(deployment.origin);
        // This deployment has no changes index.
        expect((await ask(url)).status, url).to.equal(/changes|export/.test(url) ? 503 : 200);
      }
    }
  });
});
