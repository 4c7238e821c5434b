import type Router from '@koa/router';
import { readSite } from '@vitrine/web';
import { discoveryDocuments } from '../discovery/discovery-documents.ts';
import { ENTRY_POINTS } from '../discovery/entry-points.ts';
import { openApiDocument } from '../docs/openapi.ts';
import { documentPage, documentsByOrigin, originOf } from './documents.ts';
import { type RequestState, respondToOptions, sendDocument } from './routes.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Adds the documents by which programs discover the service. Rule: docs/reference/discovery.md.
 * @param router has no prefix
 * @param publicUrl the setting PUBLIC_URL. Without it, absolute URLs contain the Host of the request.
 */
export function addEntryPointRoutes(
  router: Router<RequestState>,
  basePath: string,
  publicUrl: string | undefined,
): void {
  const pageOf = documentsByOrigin(MAX_BYTES);
  const documents = discoveryDocuments(openApiDocument(basePath, publicUrl), basePath, {
    ...ENTRY_POINTS,
    pages: Object.keys(readSite().pages).map((address) => `/${address}`),
  });
  for (const { path, contentType, text, cacheControl } of documents) {
    router.get(path, (context) => {
      const page = pageOf(path, publicUrl ?? originOf(context), (origin) =>
        documentPage(text(origin), contentType, cacheControl),
      );
      return sendDocument(context, page);
    });
    router.options(path, respondToOptions);
  }
}
