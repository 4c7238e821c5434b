import type { OpenApi } from '@vitrine/web';
import { type EntryPoints, PATHS } from './entry-points.ts';
import { isLinkable, operationsOf } from './linked-operations.ts';

/**
 * Creates the sitemap of the entry points (sitemaps.org, protocol 0.9). Each URL returns 200 for GET.
 * @param root the origin of the service, without a slash at its end
 * @param base the root with BASE_PATH
 */
export function sitemapXml(
  document: OpenApi,
  root: string,
  base: string,
  { links, pages }: EntryPoints,
): string {
  const urls = [
    `${base}/`,
    ...pages.map((path) => `${base}${path}`),
    `${base}/openapi.json`,
    `${root}${PATHS.llmsText}`,
    ...links.map(({ path }) => `${root}${path}`),
    ...operationsOf(document)
      .filter(isLinkable)
      .map(({ path }) => `${base}${path}`),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls.map((url) => `<url><loc>${url}</loc></url>`),
    '</urlset>',
    '',
  ].join('\n');
}

/**
 * Creates robots.txt, which allows every path and names the sitemap (RFC 9309).
 * @param root the origin of the service, without a slash at its end
 */
export const robotsText = (root: string): string =>
  `User-agent: *\nAllow: /\n\nSitemap: ${root}${PATHS.sitemap}\n`;
