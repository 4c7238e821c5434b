import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import MiniSearch from 'minisearch';
import { LANGUAGES } from './languages.ts';
import type { OpenApi } from './openapi-document.ts';
import { SEARCH_OPTIONS, type SearchEntry } from './search-index.ts';
import { buildIndexes, buildSite, readPages } from './site.ts';

const ROOT = 'docs';
const CONTENT = join(import.meta.dirname, '../content');
const DOCUMENT = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../docs/reference/interfaces/openapi.json'), 'utf8'),
) as OpenApi;
const pages = readPages(CONTENT, DOCUMENT, 'en');
const indexes = buildIndexes(CONTENT, DOCUMENT);
const site = buildSite({ content: CONTENT, document: DOCUMENT, style: '', files: {} });

/** The addresses that a search finds, best first. */
const found = (language: string, query: string): string[] =>
  MiniSearch.loadJSON<SearchEntry>(indexes[`search-${language}.json`] ?? '', SEARCH_OPTIONS)
    .search(query)
    .map(({ url }) => String(url));

describe('documentation site', () => {
  it('has every operation of the OpenAPI document, with each of its parameters and statuses', () => {
    for (const { get } of Object.values(DOCUMENT.paths)) {
      const page = pages.find(({ path }) => path === `reference/${get?.operationId}`);
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

  // The queries from the specification: views.md, section 3.
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

  it('leads from an address that does not exist only to pages that exist', () => {
    for (const language of LANGUAGES) {
      const html = site.notFound[language];
      const addresses = [...html.matchAll(/(?:href|data-docs)="%UP%(docs[^"]*)"/g)].map(([, to = '']) => to);
      expect(addresses).to.include('docs');
      expect(addresses.some((to) => to.endsWith('/pt-BR'))).to.equal(true);
      expect(addresses.filter((to) => site.pages[to] === undefined)).to.deep.equal([]);
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
});
