import { createHash } from 'node:crypto';
import { Page } from '../cache/page.ts';
import { docsPage } from '../docs/docs-page.ts';
import { DOCS_STYLE } from '../docs/docs-style.ts';
import { openApiDocument } from '../docs/openapi.ts';
import { weakEtag } from '../response/etag.ts';

/** Documents change only with a new version of the service. */
export const DOCUMENT_CACHE_CONTROL = 'public, max-age=300';

/**
 * The page is self-contained, so it must not load resources, run scripts or appear in a frame. CSP Level 3.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  'img-src data:',
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface ServedDocument {
  /** Relative to the base path. */
  path: string;
  page: Page;
  /** Headers in addition to the headers of every page. */
  headers: Record<string, string>;
}

/**
 * Creates the OpenAPI document and the API reference.
 * @param publicUrl the setting PUBLIC_URL
 */
export function servedDocuments(basePath: string, publicUrl?: string): ServedDocument[] {
  const document = openApiDocument(basePath, publicUrl);
  return [
    served('/openapi.json', 'application/json', JSON.stringify(document)),
    served('/docs/plain', 'text/html; charset=utf-8', docsPage(document, basePath, publicUrl), {
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Referrer-Policy': 'no-referrer',
    }),
  ];
}

const served = (
  path: string,
  contentType: string,
  text: string,
  headers: Record<string, string> = {},
): ServedDocument => ({
  path,
  page: new Page({ body: Buffer.from(text), contentType, etag: weakEtag(text) }),
  headers,
});
