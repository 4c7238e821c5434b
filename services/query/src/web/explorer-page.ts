import { escapeHtml, pageShell, type WebFiles } from '@vitrine/web';
import { type FirstView, firstContent, previewOf } from './first-view.ts';

/**
 * The service's paths, relative to a page, so that the page also works behind a proxy with a path prefix.
 */
interface RelativePaths {
  /** The base path of the feeds, with a slash at its end. */
  feeds: string;
  /** The root of the origin, with a slash at its end. */
  root: string;
}

/** Returns the paths as a page at the root of the origin sees them. @param basePath BASE_PATH */
export const pathsFromRoot = (basePath: string): RelativePaths => ({ feeds: `.${basePath}/`, root: './' });

/** Returns the paths as a page at the base path sees them. @param basePath BASE_PATH */
export const pathsFromBase = (basePath: string): RelativePaths => ({
  feeds: './',
  root: '../'.repeat(basePath.split('/').length - 1) || './',
});

/** Open Graph requires a territory. */
const LOCALES = { en: 'en_US', 'pt-BR': 'pt_BR' };

/**
 * Creates the explorer's HTML, with the content of its first view.
 * @param explorer the absolute URL of the explorer, without a query
 * @throws Error if the pages are not built
 */
export function explorerPage(
  files: WebFiles,
  { feeds, root }: RelativePaths,
  view: FirstView,
  explorer: string,
): string {
  const url = (source: string) => `${feeds}web/${files.get(source)?.name}`;
  const { title, description, image } = previewOf(view);
  const address = `${explorer}${view.search}`;
  const openGraph = {
    'og:site_name': 'Vitrine',
    'og:type': 'website',
    'og:title': title,
    'og:description': description,
    'og:url': address,
    ...(image !== undefined && { 'og:image': image }),
    'og:locale': LOCALES[view.language],
  };
  const tags = Object.entries(openGraph).map(
    ([name, content]) => `<meta property="${name}" content="${escapeHtml(content)}">\n`,
  );
  return pageShell({
    language: view.language,
    title,
    description,
    scripts: [url('explorer.js')],
    styles: [url('explorer.css')],
    head: `<link rel="canonical" href="${escapeHtml(address)}">\n${view.listing === null ? '<meta name="robots" content="noindex">\n' : ''}${tags.join('')}`,
    data: { feeds, mcp: `${root}mcp`, map: url('map.json') },
    content: firstContent(view, feeds),
  });
}
