import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';
import { docsPage } from './docs-page.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { weakEtag } from './etag.ts';
import { openApiDocument } from './openapi.ts';

/** They change with a new version of the service alone. */
const CACHE_CONTROL = 'public, max-age=300';

/** The page carries all it needs: it may load nothing, run nothing and be framed nowhere. CSP Level 3. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  'img-src data:',
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface ServedDocument {
  /** Below the base path. */
  path: string;
  answer: Answer;
  headers: Record<string, string>;
}

/** What the service says of itself: the OpenAPI document, and the reference for people that is made of it. */
export function servedDocuments(basePath: string): ServedDocument[] {
  const document = openApiDocument(basePath);
  return [
    served('/openapi.json', 'application/json', JSON.stringify(document)),
    served('/docs', 'text/html; charset=utf-8', docsPage(document, basePath), {
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Referrer-Policy': 'no-referrer',
    }),
  ];
}

const served = (path: string, contentType: string, body: string, headers: Record<string, string> = {}): ServedDocument => ({
  path,
  answer: { body, contentType, etag: weakEtag(body), cacheControl: CACHE_CONTROL },
  headers,
});
