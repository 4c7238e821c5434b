import { PUBLISHED_SCHEMA } from '@vitrine/listing-events/schema';
import { readAsyncApi } from '@vitrine/web';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { Page } from '../cache/page.ts';
import { openApiDocument } from '../docs/openapi.ts';
import { SCHEMA_TYPE } from '../docs/openapi-events.ts';
import type { Encoder } from '../response/content-encoding.ts';
import { weakEtag } from '../response/representation.ts';

export interface ServedDocument {
  /** The path, relative to the base path. */
  path: string;
  /** The operation id in the OpenAPI document, which has none for itself. */
  operation?: string;
  page: Page;
}

/** @param cacheControl replaces DOCUMENT_CACHE_CONTROL */
export const documentPage = (
  content: string | Buffer,
  contentType: string,
  cacheControl?: string,
  encoder?: Encoder,
): Page => {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  return new Page(
    { body, contentType, etag: weakEtag(content), ...(cacheControl !== undefined && { cacheControl }) },
    encoder,
  );
};

/**
 * Creates the OpenAPI document.
 * @param publicUrl the setting PUBLIC_URL
 */
export const openApiPage = (basePath: string, publicUrl?: string): ServedDocument => ({
  path: '/openapi.json',
  page: documentPage(JSON.stringify(openApiDocument(basePath, publicUrl)), 'application/json'),
});

/** Creates the documents about events: the JSON Schema, and the contract of the topics. */
export const eventPages = (): ServedDocument[] => [
  {
    path: '/listing-event.schema.json',
    operation: 'getListingEventSchema',
    page: documentPage(JSON.stringify(PUBLISHED_SCHEMA), SCHEMA_TYPE),
  },
  {
    path: '/asyncapi.json',
    operation: 'getAsyncApiDocument',
    page: documentPage(readAsyncApi(), 'application/json'),
  },
];

/**
 * Keeps the documents that contain the origin of their request. Clients can send any Host, so the documents'
 * total size is limited.
 * @param maxBytes the maximum total size. An encoding of a document counts from the document's next request.
 */
export function documentsByOrigin(maxBytes: number) {
  const pages = new LRUCache<string, Page>({ maxSize: maxBytes, sizeCalculation: ({ size }) => size });
  return (name: string, origin: string, write: (origin: string) => Page): Page => {
    const key = `${name} ${origin}`;
    const page = pages.get(key) ?? write(origin);
    // The cache would keep the old size if the value were the same object.
    pages.delete(key);
    pages.set(key, page);
    return page;
  };
}

/**
 * Returns the origin by which the client reached this service. A proxy with TLS requires PUBLIC_URL. The
 * request listener has already checked the Host header.
 *
 * The response then varies by Host, because a shared cache without the host in its key, such as nginx with
 * its defaults, would otherwise serve the URLs of one host to the clients of another host.
 */
export function originOf(context: Context): string {
  context.vary('Host');
  const { req } = context;
  const { host } = req.headers;
  if (host) return `http://${host}`;
  const { localAddress = '127.0.0.1', localPort = 80 } = req.socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
