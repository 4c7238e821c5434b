import { PATHS } from './entry-points.ts';

/**
 * Creates robots.txt, which allows every path and names the sitemap (RFC 9309).
 * @param root the origin of the service, without a slash at its end
 */
export const robotsText = (root: string): string =>
  `User-agent: *\nAllow: /\n\nSitemap: ${root}${PATHS.sitemap}\n`;
