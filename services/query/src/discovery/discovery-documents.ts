import type { OpenApi } from '@vitrine/web';
import { type EntryPoints, PATHS } from './entry-points.ts';
import { llmsText } from './llms-text.ts';
import { publicRoot } from './public-root.ts';
import { AI_CATALOG_TYPE, aiCatalog, SERVER_CARD_TYPE, serverCard } from './server-card.ts';
import { robotsText, sitemapXml } from './sitemap.ts';

export interface DiscoveryDocument {
  /** The path below the root of the origin. */
  path: string;
  contentType: string;
  /** Creates the document's text for an origin, which has no slash at its end. */
  text(origin: string): string;
  /** The default is the Cache-Control header of the service's other documents. */
  cacheControl?: string;
}

/** MCP SEP-2127, "Caching". */
const CARD_CACHE_CONTROL = 'public, max-age=3600';

/** Lists the documents by which programs discover the service. */
export function discoveryDocuments(
  document: OpenApi,
  basePath: string,
  entryPoints: EntryPoints,
): DiscoveryDocument[] {
  const withBase =
    (text: (document: OpenApi, root: string, base: string, entryPoints: EntryPoints) => string) =>
    (origin: string) => {
      const root = publicRoot(origin);
      return text(document, root, `${root}${basePath}`, entryPoints);
    };
  const json = (value: (root: string) => object) => (origin: string) =>
    JSON.stringify(value(publicRoot(origin)));
  return [
    { path: PATHS.llmsText, contentType: 'text/plain; charset=utf-8', text: withBase(llmsText) },
    {
      path: PATHS.aiCatalog,
      contentType: AI_CATALOG_TYPE,
      text: json(aiCatalog),
      cacheControl: CARD_CACHE_CONTROL,
    },
    {
      path: PATHS.serverCard,
      contentType: SERVER_CARD_TYPE,
      text: json(serverCard),
      cacheControl: CARD_CACHE_CONTROL,
    },
    {
      path: PATHS.robots,
      contentType: 'text/plain; charset=utf-8',
      text: (origin) => robotsText(publicRoot(origin)),
    },
    { path: PATHS.sitemap, contentType: 'application/xml; charset=utf-8', text: withBase(sitemapXml) },
  ];
}
