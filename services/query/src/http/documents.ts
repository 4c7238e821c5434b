import { Page } from '../cache/page.ts';
import { openApiDocument } from '../docs/openapi.ts';
import { weakEtag } from '../response/etag.ts';

/** Documents change only with a new version of the service. */
export const DOCUMENT_CACHE_CONTROL = 'public, max-age=300';

export interface ServedDocument {
  /** Relative to the base path. */
  path: string;
  page: Page;
}

/**
 * Creates the OpenAPI document.
 * @param publicUrl the setting PUBLIC_URL
 */
export function openApiPage(basePath: string, publicUrl?: string): ServedDocument {
  const text = JSON.stringify(openApiDocument(basePath, publicUrl));
  const body = Buffer.from(text);
  return {
    path: '/openapi.json',
    page: new Page({ body, contentType: 'application/json', etag: weakEtag(text) }),
  };
}
