/**
 * This peer sends the same feeds as the query service, with the tools of an engineer who prefers PostgreSQL:
 * Koa, `pg` with prepared statements, and the schema of postgres-schema.ts. For every query type in the
 * bench, the response has the same bytes as the service's response
 * (test/e2e/postgres-peer.test.ts). As in the service, pages share equal counts for SHARED_SECONDS,
 * parameters are validated, and bodies are compressed if the client accepts it.
 * The peer has no page cache, like the service with `CACHE_BYTES=0`.
 *
 * Some conditions favor the peer: its rows never change, PostgreSQL's durability is off, and the peer has no
 * cursors, links, metrics or rate limit. Others slow it down: no triggers maintain its totals, and it pages
 * with OFFSET.
 *
 * Its settings are PORT, POSTGRES_PORT and SHARED_SECONDS (with 0, it counts for every page).
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { readFeedRequest } from '@vitrine/query';
import Koa from 'koa';
import { postgresPool, type Row, readPage, run, type Statement } from './postgres-queries.ts';
import { feedResponse } from './postgres-response.ts';

const FEEDS = new Map([
  ['/api/public-feed', 'public-feed'],
  ['/api/ai-feed', 'ai-feed'],
] as const);
const MIN_ENCODED_BYTES = 1_024;
const [brotli, gzipped, zstd] = [promisify(brotliCompress), promisify(gzip), promisify(zstdCompress)];
const ENCODERS: Record<string, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (body) => zstd(body),
  gzip: (body) => gzipped(body),
};

const pool = postgresPool(Number(process.env['POSTGRES_PORT']));
const sharedMs = Number(process.env['SHARED_SECONDS']) * 1_000;

let counts = new Map<string, Promise<Row[]>>();
/** The first count of a period starts the period, so no count is older than SHARED_SECONDS. */
function count(statement: Statement): Promise<Row[]> {
  if (sharedMs === 0) return run(pool, statement);
  if (counts.size === 0) {
    const period = counts;
    setTimeout(() => {
      if (counts === period) counts = new Map();
    }, sharedMs).unref();
  }
  const key = JSON.stringify(statement);
  const counted = counts.get(key) ?? run(pool, statement);
  counts.set(key, counted);
  // The page that fails shows the error. The next page must count again.
  counted.catch(() => counts.delete(key));
  return counted;
}

const app = new Koa();
app.use(async (context) => {
  const feed = FEEDS.get(context.path as '/api/public-feed');
  if (feed === undefined) return;
  const criteria = readFeedRequest(feed, undefined, context.querystring);
  if ('bad' in criteria) return context.throw(400, JSON.stringify(criteria.bad));
  if (criteria.page === undefined) return context.throw(400, 'This peer has no cursors.');
  const { body, etag } = feedResponse(criteria, await readPage(pool, criteria, count));
  context.set({
    ETag: etag,
    Vary: 'Accept-Encoding',
    'Cache-Control': 'public, max-age=5',
    'Access-Control-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
  });
  // Koa's own comparison would ignore the tag if the request also has `Cache-Control: no-cache`.
  if (context.get('If-None-Match') === etag) {
    context.status = 304;
    return;
  }
  context.status = 200;
  context.set('Content-Type', 'application/json');
  const encoding = body.length < MIN_ENCODED_BYTES ? false : encodingOf(context);
  if (encoding) context.set('Content-Encoding', encoding);
  context.body = encoding ? await ENCODERS[encoding]?.(body) : body;
});
app.listen(Number(process.env['PORT']), '127.0.0.1');

/** Without Accept-Encoding, Koa would choose the first encoding in the list. */
const encodingOf = (context: Koa.Context): string | false =>
  context.get('Accept-Encoding') !== '' && context.acceptsEncodings(...Object.keys(ENCODERS));
