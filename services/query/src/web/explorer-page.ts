import { pageShell, type WebFiles } from '@vitrine/web';

/** The paths of the service, relative to a page, so that the page also works behind a proxy with a path prefix. */
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

/**
 * Creates the explorer's HTML.
 * @throws Error if the pages are not built
 */
export function explorerPage(files: WebFiles, { feeds, root }: RelativePaths): string {
  const url = (source: string) => `${feeds}web/${files.get(source)?.name}`;
  return pageShell({
    title: 'Vitrine',
    description: 'Listings of a marketplace, and the API request behind each view.',
    scripts: [url('explorer.js')],
    styles: [url('explorer.css')],
    data: { feeds, mcp: `${root}mcp`, map: url('map.json') },
    withoutScripts:
      `<h1>Vitrine</h1><p>The explorer needs JavaScript. The feeds do not: ` +
      `<a href="${feeds}public-feed">catalog feed</a>, <a href="${feeds}docs">API reference</a>, ` +
      `<a href="${feeds}openapi.json">OpenAPI document</a>, <a href="${root}llms.txt">llms.txt</a>.</p>` +
      `<p lang="pt-BR">O explorador precisa de JavaScript. Os feeds não precisam.</p>`,
  });
}
