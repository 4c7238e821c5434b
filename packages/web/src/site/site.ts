import { createHash } from 'node:crypto';
import type { Site } from '../pages/web-files.ts';
import { type PageSource, readContent } from './content.ts';
import { LANGUAGES, type Language, MAIN_LANGUAGE, SITE_TEXTS, type SiteTexts } from './languages.ts';
import { addressOf, baseOf, layout, MISSING, type NavigationGroup, type PageLink } from './layout.ts';
import { type RenderedMarkdown, renderMarkdown } from './markdown.ts';
import type { OpenApi } from './openapi-document.ts';
import { referencePages } from './reference.ts';
import { type SearchEntry, searchIndex } from './search-index.ts';
import { errorPages, readTranslations, rulesPage, withPrograms } from './shared-texts.ts';

/** The addresses from earlier releases and where they lead, below `/docs`. */
const MOVED = { plain: 'reference', crawlers: 'guides/crawlers', agents: 'guides/agents' };
/** The parts of the site in their order. Each part is a page or a folder of pages. */
const PARTS = ['', 'guides', 'reference', 'rules', 'errors', 'limits'] as const;
const PART_TITLES: Record<(typeof PARTS)[number], keyof SiteTexts> = {
  '': 'start',
  guides: 'guides',
  reference: 'reference',
  rules: 'rules',
  errors: 'errors',
  limits: 'limits',
};

export interface SitePage extends PageSource, RenderedMarkdown {}

/** Reads and renders all pages in a language, in the order of the navigation. */
export function readPages(folder: string, document: OpenApi, language: Language): SitePage[] {
  const main = language === MAIN_LANGUAGE ? [] : readPages(folder, document, MAIN_LANGUAGE);
  const translations = readTranslations(folder, language);
  const texts = SITE_TEXTS[language];
  const sources = [
    ...readContent(folder, language).flatMap((page) =>
      page.path === 'errors' ? errorPages(page, document, texts) : [page],
    ),
    rulesPage(folder, language, texts),
    ...referencePages({ document, texts, translate: (text) => translate(translations, text) }),
  ];
  const order = ({ path }: PageSource) => PARTS.map(String).indexOf(path.split('/')[0] ?? '');
  sources.sort((one, other) => order(one) - order(other) || rank(one) - rank(other));
  return sources.map((source) => {
    const same = main.find(({ path }) => path === source.path);
    const markdown = withPrograms(folder, source.markdown);
    const ids = same?.headings.map(({ id }) => id) ?? [];
    return { ...source, ...renderMarkdown(markdown, { ids, linkLabel: texts.section }) };
  });
}

/** The page of a folder comes before the pages in it. */
const rank = ({ path, order }: PageSource): number => (path.includes('/') ? order : -1);

/** Translates Markdown line by line. A line without a translation stays as it is. */
export const translate = (translations: Readonly<Record<string, string>>, text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const [, mark = '', words = ''] = /^(- )?(.*)$/.exec(line) ?? [];
      return `${mark}${translations[words] ?? words}`;
    })
    .join('\n');

export interface BuildOptions {
  /** The folder with the pages, by language. */
  content: string;
  document: OpenApi;
  style: string;
  files: Readonly<Record<string, string>>;
}

/**
 * Writes the search indexes by file name. Their names are part of the pages, so the indexes must exist before
 * the pages.
 */
export function buildIndexes(content: string, document: OpenApi): Record<string, string> {
  const main = readPages(content, document, MAIN_LANGUAGE);
  return Object.fromEntries(
    LANGUAGES.map((language) => [
      `search-${language}.json`,
      searchIndex(searchEntries(readPages(content, document, language), main, language)),
    ]),
  );
}

/**
 * Lists the passages of pages. If passages are equal, such as those about a parameter, only the first is
 * listed.
 */
export function searchEntries(pages: SitePage[], main: SitePage[], language: Language): SearchEntry[] {
  const entries = new Map<string, SearchEntry>();
  for (const { path, title, summary, keywords, passages } of pages) {
    const same = main.find((page) => page.path === path);
    const head = { heading: undefined, text: '' };
    for (const { heading, text } of passages[0]?.heading ? [head, ...passages] : passages) {
      const english = heading ? same?.headings.find(({ id }) => id === heading.id)?.text : same?.title;
      const original = same?.passages.find((passage) => passage.heading?.id === heading?.id)?.text;
      const words = heading ? english : `${keywords} ${same?.keywords} ${english}`;
      const entry = {
        id: entries.size,
        url: `${addressOf(language, path)}${heading ? `#${heading.id}` : ''}`,
        title,
        heading: heading?.text ?? '',
        text: heading ? text : `${summary} ${text}`,
        words: words ?? '',
        original: language === MAIN_LANGUAGE ? '' : (original ?? ''),
      };
      const key = `${heading ? '' : path} ${entry.heading} ${entry.text}`;
      if (!entries.has(key)) entries.set(key, entry);
    }
  }
  return [...entries.values()];
}

/** Writes all pages. */
export function buildSite({ content, document, style, files }: BuildOptions): Site {
  const site: Site = {
    pages: {},
    notFound: { en: '', 'pt-BR': '' },
    moved: {},
    styleSource: `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  };
  for (const language of LANGUAGES) {
    const texts = SITE_TEXTS[language];
    const pages = readPages(content, document, language);
    const navigation = groupsOf(pages, texts);
    const write = (
      page: PageLink & Pick<RenderedMarkdown, 'html' | 'headings'>,
      base = baseOf(language, page.path),
    ) => {
      const place = pages.findIndex(({ path }) => path === page.path);
      const neighbors = place < 0 ? {} : { previous: pages[place - 1], next: pages[place + 1] };
      return layout({ ...page, language, navigation, neighbors, style, files, base })
        .replaceAll('%DOCS%', `${base}${addressOf(language, '')}`)
        .replaceAll('%BASE%', base);
    };
    for (const page of pages) {
      const html = `<article class="prose${page.path === '' ? ' start' : ''}">\n${page.html}</article>`;
      site.pages[addressOf(language, page.path)] = write({ ...page, html });
    }
    const missing = {
      path: MISSING,
      title: texts.notFound,
      summary: texts.notFoundText,
      html: `<p><a href="%DOCS%">${texts.start}</a></p>`,
      headings: [],
    };
    site.notFound[language] = write(missing, '%UP%');
  }
  for (const [from, to] of Object.entries(MOVED)) site.moved[`docs/${from}`] = to;
  return site;
}

function groupsOf(pages: readonly SitePage[], texts: SiteTexts): NavigationGroup[] {
  return PARTS.map((part) => ({
    title: String(texts[PART_TITLES[part]]),
    index: pages.find(({ path }) => path === part),
    pages: pages.filter(({ path }) => part !== '' && path.startsWith(`${part}/`)),
  })).filter(({ index, pages: inside }) => index || inside.length > 0);
}
