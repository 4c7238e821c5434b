import type { Context } from 'koa';
import { namesEtag } from './etag.ts';

/** What a GET is answered with, unless the client has it already. */
export interface Answer {
  body: string;
  contentType: string;
  etag: string;
  cacheControl: string;
  /** The value of the Link header, if any (RFC 8288). */
  link?: string | undefined;
}

/** Answers 200, or 304 with the headers that the 200 would have had where the request names the entity tag. RFC 9110 §13.1.2, §15.4.5. */
export function answer(context: Context, { body, contentType, etag, cacheControl, link }: Answer): void {
  context.set({ ETag: etag, 'Cache-Control': cacheControl });
  if (link) context.append('Link', link);
  if (namesEtag(context.get('If-None-Match') || undefined, etag)) {
    context.status = 304;
    return;
  }
  context.set('Content-Type', contentType);
  context.body = body;
}
