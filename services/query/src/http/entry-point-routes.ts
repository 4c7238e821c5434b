import type Router from '@koa/router';
import { LRUCache } from 'lru-cache';
import { Page } from '../cache/page.ts';
import { type DiscoveryDocument, discoveryDocuments } from '../discovery/discovery-documents.ts';
import { ENTRY_POINTS, type EntryPoints } from '../discovery/entry-points.ts';
import { openApiDocument } from '../docs/openapi.ts';
import { weakEtag } from '../response/etag.ts';
import { originOf } from './request-origin.ts';
import { type RequestState, respondToOptions, sendDocument } from './routes.ts';

export interface EntryPointRoutesOptions {
  basePath: string;
  /** The setting PUBLIC_URL. Without it, absolute URLs contain the Host of the request. */
  publicUrl: string | undefined;
  /** What `/llms.txt` and the sitemap name in addition to the feeds. */
  entryPoints?: EntryPoints;
}

/** Clients can send any Host, so a process keeps the documents of few hosts. */
const MAX_PAGES = 64;

/**
 * Adds the documents by which programs discover the service. The router has no prefix. Rule: docs/reference/discovery.md.
 */
export function addEntryPointRoutes(
  router: Router<RequestState>,
  { basePath, publicUrl, entryPoints = ENTRY_POINTS }: EntryPointRoutesOptions,
): void {
  const pages = new LRUCache<string, Page>({ max: MAX_PAGES });
  const documents = discoveryDocuments(openApiDocument(basePath, publicUrl), basePath, entryPoints);
  for (const document of documents) {
    const { path } = document;
    router.get(path, async (context) => {
      const origin = publicUrl ?? originOf(context);
      const key = `${path} ${origin}`;
      const page = pages.get(key) ?? pageOf(document, origin);
      pages.set(key, page);
      await sendDocument(context, page);
    });
    router.options(path, respondToOptions);
  }
}

function pageOf({ contentType, text, cacheControl }: DiscoveryDocument, origin: string): Page {
  const content = text(origin);
  return new Page({
    body: Buffer.from(content),
    contentType,
    etag: weakEtag(content),
    ...(cacheControl !== undefined && { cacheControl }),
  });
}
