import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import MiniSearch from 'minisearch';
import { LANGUAGES, SITE_TEXTS } from './languages.ts';
import type { OpenApi } from './openapi-document.ts';
import { referencePages } from './reference.ts';
import { SEARCH_OPTIONS, type SearchEntry } from './search-index.ts';
import { readTranslations } from './shared-texts.ts';
import { buildIndexes, buildSite, readPages } from './site.ts';

const ROOT = 'docs';
const CONTENT = join(import.meta.dirname, '../content');
const DOCUMENT = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../docs/reference/interfaces/openapi.json'), 'utf8'),
) as OpenApi;
const pages = Object.fromEntries(
  LANGUAGES.map((language) => [language, readPages(CONTENT, DOCUMENT, language)]),
) as Record<(typeof LANGUAGES)[number], ReturnType<typeof readPages>>;
const indexes = buildIndexes(CONTENT, DOCUMENT);
const site = buildSite({ content: CONTENT, document: DOCUMENT, style: '', files: {} });

/** The addresses that a search finds, best first. */
const found = (language: string, query: string): string[] =>
  MiniSearch.loadJSON<SearchEntry>(indexes[`search-${language}.json`] ?? '', SEARCH_OPTIONS)
    .search(query)
    .map(({ url }) => String(url));

describe('documentation site', () => {
  it('has the same pages with the same headings in both languages', () => {
    const outline = (language: 'en' | 'pt-BR') =>
      pages[language].map(({ path, headings }) => [
        path,
        ...headings.map(({ depth, id }) => `${depth} ${id}`),
      ]);
    expect(outline('pt-BR')).to.deep.equal(outline('en'));
  });

  it('has every operation of the OpenAPI document, with each of its parameters and statuses', () => {
    for (const { get } of Object.values(DOCUMENT.paths)) {
      const page = pages.en.find(({ path }) => path === `reference/${get?.operationId}`);
      const ids = page?.headings.map(({ id }) => id);
      const names = get?.parameters.map(({ $ref }) => {
        const name = $ref.split('/').at(-1) ?? '';
        return DOCUMENT.components.parameters[name]?.name;
      });
      expect(ids, get?.operationId).to.include.members([
        ...(names ?? []),
        ...Object.keys(get?.responses ?? {}),
      ]);
    }
  });

  it('each link inside the site leads to a page and a heading', () => {
    const all = site.pages;
    const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const broken: string[] = [];
    for (const [address, html] of Object.entries(all))
      for (const [, href = ''] of html.matchAll(/ href="([^"]+)"/g)) {
        const { pathname, hash } = new URL(
          href.replaceAll(/%(FEEDS|ROOT)%/g, 'https://h/'),
          `https://s/${address}`,
        );
        const target = pathname.slice(1);
        if (!target.startsWith('docs')) continue;
        const page = all[target];
        const isFound =
          page !== undefined && (hash === '' || idsOf(page).has(decodeURIComponent(hash.slice(1))));
        if (!isFound) broken.push(`${address}: ${href}`);
      }
    expect(broken).to.deep.equal([]);
  });

  it('no page contains a placeholder, except for the addresses of the service', () => {
    for (const [address, html] of Object.entries(site.pages))
      expect(html.match(/%(?!FEEDS%|ROOT%|LIMITS%)[A-Z]+%|placeholder[A-Z]+placeholder/g), address).to.equal(
        null,
      );
  });

  // The queries of the specification: views.md, section 3.
  for (const language of LANGUAGES) {
    const prefix = language === 'en' ? `${ROOT}/` : `${ROOT}/${language}/`;
    for (const [query, target] of [
      ['rate limit', 'guides/crawlers#rate-limits'],
      ['RateLimit', 'reference/headers#ratelimit'],
      ['cursor', 'guides/crawlers#crawl-by-cursor'],
      ['410', 'reference/getChanges#410'],
      ['deprecated', 'guides/crawlers#legacy-names'],
      ['min_price', 'reference/getPublicFeed#min_price'],
    ])
      it(`in ${language}, the search "${query}" finds ${target} among the first five`, () =>
        expect(found(language, query ?? '').slice(0, 5)).to.include(`${prefix}${target}`));
  }

  it('writes the parts of a page in the order in which a phone shows them, because it arrives in parts', () => {
    for (const [address, html] of Object.entries(site.pages)) {
      const places = ['class="site-nav"', 'class="toc"', '<main'].map((part) => html.indexOf(part));
      const shown = places.filter((place) => place >= 0);
      expect(shown, address).to.deep.equal(shown.toSorted((a, b) => a - b));
    }
  });

  it('the search ignores diacritics and finds beginnings of words', () => {
    expect(found('pt-BR', 'requisicoes condicionais')[0]).to.equal(
      `${ROOT}/pt-BR/guides/crawlers#conditional-requests`,
    );
    // The search allows no typing errors in short words.
    expect(found('pt-BR', 'preco')).to.deep.equal(found('pt-BR', 'preço')).and.to.not.be.empty;
    expect(found('en', 'condit')[0]).to.equal(`${ROOT}/guides/crawlers#conditional-requests`);
  });

  it('translates each text of the OpenAPI document that the reference shows', () => {
    const translations = readTranslations(CONTENT, 'pt-BR');
    const missing = new Set<string>();
    const translate = (text: string) => {
      for (const line of text.split('\n').map((one) => one.replace(/^- /, '')))
        if (line !== '' && translations[line] === undefined) missing.add(line);
      return text;
    };
    referencePages({ document: DOCUMENT, texts: SITE_TEXTS.en, translate });
    expect([...missing]).to.deep.equal([]);
  });
});
