import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ask } from '../contract/http-answer.ts';
import {
  copyBy,
  expectAccessible,
  type PageOptions,
  startBrowser,
  type TestBrowser,
} from '../support/browser.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { withoutOutages } from '../support/views/view-list.ts';

/** The specification's limit for scripts before "Send a request". */
const SCRIPT_BYTES = 30_000;
/**
 * HTML with its style must arrive within 1 s at 400 ms latency and 50 kB/s. Half of the rest is left for the
 * browser.
 */
const PAGE_BYTES = 20_000;

describe('the documentation in a browser', () => {
  let browser: TestBrowser;
  let deployment: QueryDeployment;
  let faults: string[] = [];
  const open = async (path: string, options?: PageOptions): Promise<Page> => {
    const watched = await browser.open(`${deployment.origin}${path}`, options);
    faults = watched.faults;
    return watched.page;
  };
  const searchFor = async (page: Page, query: string) => {
    await page.getByRole('searchbox').fill('');
    await page.locator('.found').waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill(query);
    await page.locator('.found a').first().waitFor();
    return page.locator('.found a');
  };

  before(async function () {
    browser = await startBrowser(this);
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(generateItems(700));
  });
  afterEach(async () => {
    await browser.closePages();
    expect(withoutOutages(faults)).to.deep.equal([]);
  });
  after(async () => {
    await browser?.close();
    await deployment?.close();
  });

  // The queries are from section 3 of the specification, views.md.
  for (const [locale, path] of [
    ['en-US', '/api/docs'],
    ['pt-BR', '/api/docs/pt-BR'],
  ] as const)
    it(`in ${locale}, the search finds rate limits, cursors, status 410, errors and deprecated names`, async () => {
      const page = await open(path, { locale });
      for (const [query, expected] of [
        ['rate limit', /#rate-?limit/],
        ['cursor', /#crawl-by-cursor|#pages|#cursor/],
        ['410', /#410|#gone|#expired/],
        ['error', /errors|#problem/],
        ['deprecated', /#legacy-names|#deprecation/],
      ] as const) {
        const links = await searchFor(page, query);
        const urls = await links.evaluateAll((all) =>
          all.map((link) => (link as unknown as { href: string }).href),
        );
        expect(
          urls.slice(0, 5).some((url) => expected.test(url)),
          `${query}: ${urls}`,
        ).to.equal(true);
        expect(
          urls.every((url) => url.startsWith(`${deployment.origin}${path}/`) || url.endsWith(path)),
        ).to.equal(true);
      }
    });

  it('an excerpt contains the limits of the service, and its lines end with whole words', async () => {
    const page = await open('/api/docs');
    await searchFor(page, 'requests per minute');
    expect(await page.locator('.found a[href$="limits#rate-limit"] .excerpt').innerText())
      .to.match(/requests per minute and client (any number of|[\d,]+) /)
      .and.not.to.match(/%|undefined/);
    const lines = await page.locator('.excerpt').evaluateAll(
      // The browser cuts texts off at the end of a line.
      (all) => all.map((one) => getComputedStyle(one as never).getPropertyValue('-webkit-line-clamp')),
    );
    expect(new Set(lines)).to.deep.equal(new Set(['2']));
  });

  it('the search works with the keyboard alone, and leads to a heading', async () => {
    const page = await open('/api/docs/guides/agents');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('conditional requests');
    await page.locator('.found a').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#conditional-requests$/);
    await page.locator('#conditional-requests').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('zzzqqq');
    await page.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.found').waitFor({ state: 'detached' });
  });

  it('a search whose index cannot be loaded says so, and works again later', async () => {
    const page = await open('/api/docs');
    await page.route('**/search-en-*', (route) => route.fulfill({ status: 503 }));
    await page.getByRole('searchbox').fill('cursor');
    await page.getByText('The search could not be loaded.').waitFor();
    await page.unroute('**/search-en-*');
    await searchFor(page, 'cursors');
    // The browser reports the status itself.
    expect(faults.splice(0).every((fault) => fault.includes('503'))).to.equal(true);
  });

  it('the language switch stays on the page and at its section, and the explorer follows', async () => {
    const page = await open('/api/docs/guides/crawlers#legacy-names');
    await page.getByRole('link', { name: 'Português' }).click();
    await page.waitForURL('**/api/docs/pt-BR/guides/crawlers#legacy-names');
    expect(await page.locator('html').getAttribute('lang')).to.equal('pt-BR');
    await page.getByRole('link', { name: 'Explorador' }).click();
    await page.getByRole('link', { name: 'Documentação' }).click();
    await page.waitForURL('**/api/docs/pt-BR');
    await page.getByRole('link', { name: 'English' }).click();
    await page.waitForURL('**/api/docs');
  });

  it('a page without scripts has its text, contents, examples and links', async () => {
    const page = await open('/api/docs', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'For crawlers' }).first().click();
    await page.getByText('Legacy names').last().waitFor();
    await page.getByText('Begin with').first().waitFor();
    await page.goto(`${deployment.origin}/api/docs/reference/getPublicFeed`);
    await page.getByText('Maximum number of items per page.').waitFor();
    await page.getByText(`curl '${deployment.origin}/api/public-feed'`).waitFor();
    // The form cannot work without a script.
    expect(await page.getByText('Send a request').isVisible()).to.equal(false);
  });

  it('needs one small response to be readable, and loads no more than 30 KB of scripts', async () => {
    const requests: string[] = [];
    const page = await open('/api/docs/reference/getAiFeedByType', { javaScriptEnabled: false });
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.reload();
    // Chromium does not request the script. Only the page itself remains, because it contains its style.
    expect(requests).to.deep.equal(['/api/docs/reference/getAiFeedByType']);
    const size = async (path: string) => {
      const { bytes } = await ask(`${deployment.origin}${path}`, { headers: { 'accept-encoding': 'gzip' } });
      return bytes.length;
    };
    const { text } = await ask(`${deployment.origin}/sitemap.xml`);
    const paths = [...text.matchAll(/<loc>[^<]*?(\/api\/docs[^<]*)<\/loc>/g)].map(([, path = '']) => path);
    expect(paths).to.include.members(['/api/docs/limits', '/api/docs/pt-BR/rules']);
    for (const path of paths) expect(await size(path), path).to.be.below(PAGE_BYTES);
    const html = (await ask(`${deployment.origin}/api/docs/guides/agents`)).text;
    const scripts = [...html.matchAll(/<script[^>]*src="(?:\.\.\/)*([^"]+)"/g)].map(
      ([, path]) => `/api/${path}`,
    );
    expect(scripts).to.have.lengthOf(1);
    expect(await size(scripts[0] ?? '')).to.be.below(SCRIPT_BYTES);
  });

  it('"Send a request" sends what the fields say, and shows the response and the same request as a program', async () => {
    const page = await open('/api/docs/reference/getPublicFeedByType');
    const form = page.locator('.send');
    await form.getByText('Send a request').click();
    await form.locator('[name=adType]').selectOption('service');
    await form.locator('[name=pageSize]').fill('2');
    await form.locator('[name=sort]').selectOption('price');
    const url = `${deployment.origin}/api/public-feed/service?pageSize=2&sort=price`;
    await form.getByText(`curl '${url}'`).waitFor();
    await form.getByRole('button', { name: 'Send', exact: true }).click();
    const { text } = await ask(url);
    const { data } = JSON.parse(text) as { data: { id: string }[] };
    await form.getByText('200', { exact: true }).waitFor();
    const shown = JSON.parse(await form.getByLabel('Response body').innerText());
    expect(shown.data).to.deep.equal(data).and.to.have.lengthOf(2);
    await form.getByText('Response headers').click();
    const tag = /^etag: (.+)$/m.exec(await form.locator('details').innerText())?.[1] ?? '';

    await form.locator('[name=If-None-Match]').fill(tag);
    await form.getByRole('tab', { name: 'Python' }).click();
    await form.getByText('headers={"If-None-Match":').waitFor();
    await form.getByRole('button', { name: 'Send', exact: true }).click();
    await form.getByText('304', { exact: true }).waitFor();
  });

  it('the form shows a problem, and says so if there is no response', async () => {
    const page = await open('/api/docs/pt-BR/reference/getAiFeed', { locale: 'pt-BR' });
    const form = page.locator('.send');
    await form.getByText('Enviar uma requisição').click();
    await form.locator('[name=date]').fill('amanhã');
    await form.locator('[name=date]').press('Enter');
    await form.getByText('400', { exact: true }).waitFor();
    await form.getByText('invalid-parameters').waitFor();
    await page.route('**/ai-feed?*', (route) => route.abort());
    await form.getByRole('button', { name: 'Enviar', exact: true }).click();
    await form.getByText('Não há resposta.').waitFor();
    // The browser reports both failures itself.
    expect(faults.splice(0)).to.have.lengthOf(2);
  });

  it('a button copies an example, and the copied command gets a response', async () => {
    const page = await open('/api/docs/guides/crawlers');
    const copied = await copyBy(page.getByRole('button', { name: /Copy.*Shell/ }).first());
    const [, url = ''] = /^curl '(\S+)'$/.exec(copied) ?? [];
    expect(await page.locator('.example code').first().innerText()).to.include(copied);
    expect((await ask(url)).status).to.equal(200);
  });

  // This is the integrator's task in the specification of the views.
  it('an integrator comes from the explorer to a running program with pages, errors and limits', async () => {
    const page = await open('/');
    await page.getByRole('link', { name: 'Documentation' }).click();
    await page.getByRole('link', { name: 'Your first program' }).first().click();
    await page.getByRole('heading', { name: 'The whole program' }).waitFor();
    const program = await copyBy(page.getByRole('button', { name: /Copy.*JavaScript/ }));
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-docs-'));
    try {
      await writeFile(join(folder, 'crawl-by-cursor.mjs'), program);
      const command = page.locator('code', { hasText: 'node crawl-by-cursor.mjs' }).last();
      const [, feed = ''] = /mjs (\S+)/.exec(await command.innerText()) ?? [];
      const { stdout } = await promisify(execFile)(process.execPath, ['crawl-by-cursor.mjs', feed], {
        cwd: folder,
      });
      const { meta } = JSON.parse((await ask(`${feed}?pageSize=1`)).text) as { meta: { total: number } };
      // The feed has more than one page of 100 items.
      expect(meta.total).to.be.above(100);
      expect(new Set(stdout.trim().split('\n')).size).to.equal(meta.total);
    } finally {
      await rm(folder, { recursive: true });
    }
    const problem = JSON.parse((await ask(`${deployment.origin}/api/ai-feed?date=tomorrow`)).text) as {
      type: string;
    };
    await page.goto(new URL(problem.type, deployment.origin).href);
    await page.getByText('Remedy', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: 'Limits' }).first().click();
    await page.getByText('requests per minute').first().waitFor();
  });

  it('an unknown page says so, has the navigation, and leads on', async () => {
    const page = await open('/api/docs/pt-BR/guides/nothing', { locale: 'pt-BR' });
    await page.getByRole('heading', { name: 'Esta página não existe' }).waitFor();
    expect(faults.splice(0).every((fault) => fault.includes('404'))).to.equal(true);
    await page.getByRole('link', { name: 'Referência da API' }).first().click();
    await page.waitForURL('**/api/docs/pt-BR/reference');
  });

  it('the form and its response are accessible in both languages and themes', async () => {
    for (const [language, width, colorScheme] of [
      ['', 360, 'dark'],
      ['/pt-BR', 1_440, 'light'],
    ] as const) {
      const page = await open(`/api/docs${language}/reference/getPublicFeed`, {
        colorScheme,
        viewport: { width, height: 900 },
      });
      await page.locator('.send > summary').click();
      await page.locator('.send [type=submit]').click();
      await page.locator('.send .chip.good').waitFor();
      await page.locator('.send details > summary').click();
      await expectAccessible(page, `${width} px, ${colorScheme}`);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.be.at.most(width);
      await page.context().close();
    }
  });

  it('every GET example of the guides gets a response from this service', async () => {
    for (const name of ['crawlers', 'agents']) {
      const { text } = await ask(`${deployment.origin}/api/docs/guides/${name}`);
      const plain = text
        .replace(/<[^>]+>/g, '')
        .replaceAll('&#x27;', "'")
        .replaceAll('&amp;', '&');
      const urls = [...plain.matchAll(/curl (?:-\S+ )*'(http[^']*)'/g)].map(([, url = '']) => url);
      expect(urls, name).to.have.lengthOf.at.least(1);
      for (const url of urls) {
        expect(new URL(url).origin).to.equal(deployment.origin);
        // This deployment has no changes index.
        expect((await ask(url)).status, url).to.equal(/changes|export/.test(url) ? 503 : 200);
      }
    }
  });
});
