import { escapeHtml, pageHead } from '../pages/page-shell.ts';
import { LANGUAGE_NAMES, LANGUAGES, type Language, SITE_TEXTS } from './languages.ts';
import type { Heading } from './markdown.ts';

/** The content of a link to a page. */
export interface PageLink {
  path: string;
  title: string;
  summary: string;
}

export interface NavigationGroup {
  title: string;
  /** The page about the group itself. */
  index: PageLink | undefined;
  pages: readonly PageLink[];
}

export interface LayoutOptions extends PageLink {
  language: Language;
  /** The HTML below the title. */
  html: string;
  headings: readonly Heading[];
  navigation: readonly NavigationGroup[];
  neighbors: { previous?: PageLink | undefined; next?: PageLink | undefined };
  /** The style sheet. Every page contains it, so a page is readable after one request. */
  style: string;
  /** Maps each source file's name to the name of the built file. */
  files: Readonly<Record<string, string>>;
  /** The relative URL of the base path. */
  base: string;
}

/** Returns the address below the base path. */
export const addressOf = (language: Language, path: string): string =>
  ['docs', ...(language === 'en' ? [] : [language]), ...(path === '' ? [] : [path])].join('/');

/** Returns the base path as a page sees it. */
export const baseOf = (language: Language, path: string): string =>
  '../'.repeat(addressOf(language, path).split('/').length - 1) || './';

/** The path of the page for addresses that do not exist. It has no address of its own. */
export const MISSING = '404';

/** A longer group lists its pages only on its own pages, so that the navigation fits a window. */
const MAX_LISTED = 12;

/** Writes a complete page. Every URL in it is relative, or begins with a placeholder. */
export function layout(options: LayoutOptions): string {
  const { language, path, title, summary, html, headings, navigation, neighbors, style, files, base } =
    options;
  const texts = SITE_TEXTS[language];
  const url = (to: string, other = language) => `${base}${addressOf(other, to)}`;
  const link = ({ path: to, title: name }: PageLink, style = '') =>
    `<a href="${url(to)}"${style && ` class="${style}"`}${to === path ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a>`;
  const groups = navigation.map(({ title: name, index, pages }) => {
    const head = index
      ? link({ ...index, title: name }, 'group')
      : `<span class="group">${escapeHtml(name)}</span>`;
    const isShown = pages.length <= MAX_LISTED || path.startsWith(index?.path ?? '');
    const list = isShown ? pages.map((page) => `<li>${link(page)}</li>`).join('') : '';
    return `<li>${head}${list && `<ul>${list}</ul>`}</li>`;
  });
  const others = LANGUAGES.filter((other) => other !== language);
  const alternates = path === MISSING ? [] : LANGUAGES;
  const contents = headings
    .map(({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`)
    .join('');
  const neighbor = (rel: 'previous' | 'next') => {
    const page = neighbors[rel];
    return page
      ? `<a class="${rel}" href="${url(page.path)}"><span class="small soft">${texts[rel]}</span> ${escapeHtml(page.title)}</a>`
      : '';
  };
  const data = {
    base,
    docs: url(''),
    limits: '%LIMITS%',
    index: `${base}web/${files[`search-${language}.json`]}`,
  };
  return `<!doctype html>
<html lang="${language}"${Object.entries(data)
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join('')}>
<head>
${pageHead({ title: `${title} · Vitrine`, description: summary.replaceAll('`', ''), scripts: [`${base}web/${files['docs.js']}`], styles: [] })}
${alternates.map((other) => `<link rel="alternate" hreflang="${other}" href="${url(path, other)}">`).join('\n')}
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">${texts.skip}</a>
<header class="bar">
<a class="brand" href="${base}">Vitrine</a>
<nav aria-label="${texts.views}"><a href="${base}">${texts.explorer}</a><a href="${url('')}" aria-current="${path === '' ? 'page' : 'true'}">${texts.documentation}</a></nav>
<div id="search"></div>
<div class="row preferences">
${others.map((other) => `<a class="button compact quiet" lang="${other}" hreflang="${other}" href="${url(path === MISSING ? '' : path, other)}">${LANGUAGE_NAMES[other]}</a>`).join('')}
<div id="theme"></div>
</div>
</header>
<div class="site">
<details class="site-nav"><summary>${texts.pages}</summary><nav aria-label="${texts.documentation}"><ul>${groups.join('\n')}</ul></nav></details>
${contents === '' ? '' : `<details class="toc"><summary>${texts.onThisPage}</summary><nav aria-label="${texts.onThisPage}"><ol>${contents}</ol></nav></details>`}
<main id="content" tabindex="-1">
<h1>${escapeHtml(title)}</h1>
<p class="lede">${escapeHtml(summary).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
${html}
${neighbors.previous || neighbors.next ? `<nav class="neighbors" aria-label="${texts.previous}, ${texts.next}">${neighbor('previous')}${neighbor('next')}</nav>` : ''}
</main>
</div>
</body>
</html>
`;
}
