import type Router from '@koa/router';
import { escapeHtml, PAGE_HEADERS, readSite } from '@vitrine/web';
import type { Page } from '../../cache/page.ts';
import { Problem } from '../../contract/problem.ts';
import { publicRoot } from '../../discovery/public-root.ts';
import type { Encoder } from '../../response/content-encoding.ts';
import { documentPage, documentsByOrigin, originOf } from '../documents.ts';
import { type RequestState, respondToOptions, sendDocument } from '../routes.ts';

/**
 * A page names the files of its release, so a browser must ask whether a newer page exists. RFC 9111
 * §5.2.2.4.
 */
const REVALIDATED = 'public, no-cache';
/** For one origin, the pages that contain it take about a third of this size. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 10;

/** @param encoder see `Page` */
export const htmlPage = (html: string, encoder?: Encoder): Page =>
  documentPage(html, 'text/html; charset=utf-8', REVALIDATED, encoder);

/** Limits by the name in their placeholder, `%N:name%`. If a value is undefined, there is no such limit. */
export type Limits = Readonly<Record<string, number | undefined>>;

const UNLIMITED = { en: 'any number of', 'pt-BR': 'qualquer número de' };
const languageOf = (address: string) => (/^docs\/pt-BR(\/|$)/.test(address) ? 'pt-BR' : 'en');

/** Writes this service's limits into a page, and all of them as JSON for the page's search (`%LIMITS%`). */
function withLimits(html: string, address: string, limits: Limits): string {
  const language = languageOf(address);
  const texts = Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [
      name,
      limit?.toLocaleString(language) ?? UNLIMITED[language],
    ]),
  );
  return html
    .replace(/%N:(\w+)%/g, (_, name: string) => texts[name] ?? '')
    .replace('%LIMITS%', escapeHtml(JSON.stringify(texts)));
}

/**
 * Adds the documentation site below BASE_PATH + `/docs`. One route serves all pages, because a router tries
 * each route for each request. Rule: docs/reference/views.md#documentation.
 * @param root a router without a prefix
 * @param publicUrl the setting PUBLIC_URL. Without it, examples contain the Host of the request.
 * @param limits the numbers in the pages
 */
export function addDocsRoutes(
  root: Router<RequestState>,
  basePath: string,
  publicUrl: string | undefined,
  limits: Limits,
): void {
  const { pages, notFound, moved, styleSource } = readSite();
  // Each page contains its style sheet, which the policy allows by its hash (CSP Level 3).
  const policy = PAGE_HEADERS['Content-Security-Policy'].replace("style-src 'self'", `$& ${styleSource}`);
  const headers = { ...PAGE_HEADERS, 'Content-Security-Policy': policy };
  const pageOf = documentsByOrigin(MAX_BYTES);
  const fixed = new Map<string, Page>();
  const unknown = new Map<string, Buffer>();
  const paths = [`${basePath}/docs`, `${basePath}/docs/{*page}`];
  root.get(paths, async (context) => {
    const address = context.path.slice(basePath.length + 1);
    const target = moved[address];
    if (target !== undefined || /.\/$/.test(address)) {
      context.status = 308;
      // The path is relative to the request, because a proxy may have removed a prefix.
      const last = address.split('/').at(-2);
      context.redirect(`${target ?? `../${last}`}${context.search}`);
      return;
    }
    const html = pages[address];
    if (html === undefined) {
      const depth = address.split('/').length - 1;
      // Each link on the page contains one `../` per level.
      if (depth > MAX_DEPTH) throw new Problem('unknown-path', 'This path does not exist.');
      context.status = 404;
      context.set({ ...headers, 'Cache-Control': 'no-store' });
      context.type = 'html';
      const language = languageOf(address);
      const body =
        unknown.get(`${language} ${depth}`) ??
        Buffer.from(withLimits(notFound[language], address, limits).replaceAll('%UP%', '../'.repeat(depth)));
      unknown.set(`${language} ${depth}`, body);
      context.body = body;
      return;
    }
    if (/%(FEEDS|ROOT)%/.test(html)) {
      const page = pageOf(address, publicUrl ?? originOf(context), (origin) => {
        const rootUrl = publicRoot(origin);
        const text = withLimits(html, address, limits).replaceAll('%FEEDS%', `${rootUrl}${basePath}`);
        return htmlPage(text.replaceAll('%ROOT%', rootUrl));
      });
      await sendDocument(context, page);
    } else {
      const page = fixed.get(address) ?? htmlPage(withLimits(html, address, limits));
      fixed.set(address, page);
      await sendDocument(context, page);
    }
    context.set(headers);
  });
  root.options(paths, respondToOptions);
}
