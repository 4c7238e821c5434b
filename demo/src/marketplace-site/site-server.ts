import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { readNewest, readProduct } from './catalog.ts';
import { homePage, listingPage, messagePage } from './pages.ts';
import { drawScene } from './scenes/scene.ts';

export interface SiteOptions {
  port: number;
  /** Base URL of the feeds as this process reaches them, without a trailing slash. */
  feedsUrl: string;
  /** Address of the explorer as a browser reaches it. */
  explorerUrl: string;
}

interface Answer {
  status: number;
  type: string;
  body: string;
}

const STYLES = readFileSync(new URL('site.css', import.meta.url), 'utf8');
const PICTURE = /^\/imagens\/([a-z0-9-]{1,80})\/([\w.-]{1,200})\/([1-9]\d?)\.svg$/;
const LISTING = /^\/catalogo\/([^/]+)$/;
const NEWEST = 24;
const HTML = 'text/html; charset=utf-8';
const RETRY_AFTER_SECONDS = 5;
/** The pictures of listings may be on other hosts. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Starts the website of the demo's marketplace: the pages and pictures that its listings name. In production,
 * the marketplace has its own (docs/decisions/0128-marketplace-site-of-the-demo.md).
 * @returns a function that stops the website
 * @throws Error if the port is taken
 */
export async function startSite(options: SiteOptions): Promise<() => Promise<void>> {
  const server = createServer(async (request, response) => {
    const { status, type, body } = await answerTo(request, options);
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': type === HTML ? 'no-cache' : 'max-age=3600',
      ...(status === 503 && { 'Retry-After': RETRY_AFTER_SECONDS }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(options.port);
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

async function answerTo({ method, url = '/' }: IncomingMessage, options: SiteOptions): Promise<Answer> {
  const { explorerUrl, feedsUrl } = options;
  const page = (status: number, body: string): Answer => ({ status, type: HTML, body });
  const message = (status: number, title: string, sentence: string) =>
    page(status, messagePage(title, sentence, explorerUrl));
  if (method !== 'GET' && method !== 'HEAD')
    return message(405, 'Método não permitido', 'Este site só responde a GET e HEAD.');
  const [path = '/'] = url.split('?');
  const [, kind, id, number] = PICTURE.exec(path) ?? [];
  if (kind !== undefined && id !== undefined)
    return { status: 200, type: 'image/svg+xml', body: drawScene(kind, id, Number(number)) };
  if (path === '/site.css') return { status: 200, type: 'text/css; charset=utf-8', body: STYLES };
  const listing = decoded(LISTING.exec(path)?.[1]);
  try {
    if (path === '/') return page(200, homePage(await readNewest(feedsUrl, NEWEST), explorerUrl));
    const product = listing === undefined ? undefined : await readProduct(feedsUrl, listing);
    if (product) return page(200, listingPage(product, explorerUrl));
  } catch {
    return message(503, 'O catálogo não responde', 'Tente de novo em alguns segundos.');
  }
  return message(404, 'Página não encontrada', 'Talvez o anúncio tenha sido retirado.');
}

/** @returns undefined if the text is malformed */
function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
