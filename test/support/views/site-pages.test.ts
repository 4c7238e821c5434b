import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { OpenApi } from '../../../packages/web/src/site/openapi-document.ts';
import { buildSite } from '../../../packages/web/src/site/site.ts';
import { elementsOf, type HtmlElement, nameOf, parsePage, textsIn } from './html-page.ts';
import { untranslated } from './texts.ts';
import { OPENED_PAGES } from './view-list.ts';

const ROOT = join(import.meta.dirname, '../../..');
const openapi = readFileSync(join(ROOT, 'docs/reference/interfaces/openapi.json'), 'utf8');
const { pages } = buildSite({
  content: join(ROOT, 'packages/web/src/content'),
  document: JSON.parse(openapi) as OpenApi,
  style: '',
  files: { 'docs.js': 'docs.js' },
});
/** The service replaces some words with its limits, in the format of the page's language. */
const withNumbers = (address: string, html: string): string =>
  html.replace(/%N:\w+%/g, address.includes('pt-BR') ? '1.000' : '1,000');
const parsed = new Map(
  Object.entries(pages).map(([address, html]) => [address, parsePage(withNumbers(address, html))]),
);
const all = new Map([...parsed].map(([address, page]) => [address, elementsOf(page)]));
/** Names that the pages do not translate. */
const names = [...openapi.matchAll(/"[\w-]+"/g)].join(' ');
const portuguese = [...parsed.keys()].filter((address) => /^docs\/pt-BR/.test(address));
const inEnglish = (address: string) => address.replace(/docs\/pt-BR/, 'docs');
/** The elements on each page that do not satisfy a rule. */
const breaking = (rule: (element: HtmlElement, elements: readonly HtmlElement[]) => boolean): string[] =>
  [...all].flatMap(([address, elements]) =>
    elements
      .filter((element) => !rule(element, elements))
      .map(({ tag, attributes }) => `${address}: ${tag} ${JSON.stringify(attributes)}`),
  );
/** An element as the styles see it. */
const formOf = ({ tag, attributes }: HtmlElement): string =>
  [tag, ...(attributes.class ?? '').split(' '), attributes.type ?? ''].filter(Boolean).join('.');
/** The form of each element, after the form of its parent. */
const formsIn = (element: HtmlElement): string[] =>
  element.children.flatMap((child) =>
    typeof child === 'string' ? [] : [`${formOf(element)} > ${formOf(child)}`, ...formsIn(child)],
  );

// A browser opens some pages (test/browser/quality.test.ts), and test/e2e/documentation.test.ts follows the
// links and compares the parts in both languages. These tests read what may differ between pages of one kind.
describe('the HTML of every page of the documentation', () => {
  it('has only elements of forms that a browser checks on the pages that it opens', () => {
    const opened = OPENED_PAGES.flatMap((path) => {
      const page = parsed.get(path === '' ? 'docs' : `docs/${path}`);
      expect(page, path).not.to.equal(undefined);
      return page ? formsIn(page) : [];
    });
    const known = new Set(opened);
    const others = [...parsed].flatMap(([address, page]) =>
      formsIn(page).flatMap((form) => (known.has(form) ? [] : [`${address}: ${form}`])),
    );
    expect(others, 'add a page to OPENED_PAGES').to.deep.equal([]);
  });

  it('has no English text in Portuguese outside its examples', () => {
    expect(portuguese).to.have.lengthOf.at.least(30);
    const found = portuguese.flatMap((address) => {
      const [own, english] = [address, inEnglish(address)].map((one) =>
        textsIn(parsed.get(one) as HtmlElement),
      );
      expect(own, address).to.have.lengthOf.at.least(10);
      return untranslated(own ?? [], english ?? [], names).map((text) => `${address}: ${text}`);
    });
    expect(found, found.join('\n')).to.deep.equal([]);
  });

  it('has one main heading, and no level is left out', () => {
    for (const [address, elements] of all) {
      const levels = elements.flatMap(({ tag }) => /^h([1-6])$/.exec(tag)?.[1] ?? []).map(Number);
      expect(
        levels.filter((level) => level === 1),
        address,
      ).to.deep.equal([1]);
      for (const [index, level] of levels.entries())
        expect(level, `${address}: heading ${index + 1}`).to.be.at.most((levels[index - 1] ?? 0) + 1);
    }
  });

  it('has a name for every heading, link, button, list of pages, column and field', () => {
    const named = /^(h[1-6]|a|button|summary|nav|th|label)$/;
    expect(breaking((element) => !named.test(element.tag) || nameOf(element) !== '')).to.deep.equal([]);
    const fields = /^(input|select|textarea)$/;
    const labeled = (element: HtmlElement, elements: readonly HtmlElement[]) =>
      'aria-label' in element.attributes ||
      elements.some(
        ({ tag, attributes, children }) =>
          tag === 'label' && (attributes.for === element.attributes.id || children.includes(element)),
      );
    expect(
      breaking((element, elements) => !fields.test(element.tag) || labeled(element, elements)),
    ).to.deep.equal([]);
    expect(breaking(({ tag, attributes }) => tag !== 'img' || 'alt' in attributes)).to.deep.equal([]);
  });

  it('has no id twice', () => {
    for (const [address, elements] of all) {
      const ids = elements.flatMap(({ attributes }) => attributes.id ?? []);
      expect(new Set(ids).size, address).to.equal(ids.length);
    }
  });

  it('has only items in lists, and lets the keyboard scroll every example', () => {
    const inList = ({ tag, children }: HtmlElement) =>
      !/^(ul|ol)$/.test(tag) ||
      children.every((child) => (typeof child === 'string' ? child.trim() === '' : child.tag === 'li'));
    expect(breaking(inList)).to.deep.equal([]);
    expect(breaking(({ tag, attributes }) => tag !== 'pre' || attributes.tabindex === '0')).to.deep.equal([]);
  });
});
