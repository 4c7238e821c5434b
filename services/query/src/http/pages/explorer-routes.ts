import type Router from '@koa/router';
import type { WebFiles } from '@vitrine/web';
import { publicRoot } from '../../discovery/public-root.ts';
import type { Encoder } from '../../response/content-encoding.ts';
import { explorerPage, pathsFromBase, pathsFromRoot } from '../../web/explorer-page.ts';
import { documentsByOrigin, originOf } from '../documents.ts';
import type { AccountOf } from '../limits/client-rate-limit.ts';
import { disconnection, type RequestState, respondToOptions, sendDocument } from '../routes.ts';
import { htmlPage } from './docs-routes.ts';
import { languageOf, type ReadView } from './explorer-views.ts';

/** The content of the explorer's pages, and the limits of their responses. */
export interface ExplorerSource {
  readView: ReadView;
  accountOf: AccountOf;
  encoder: Encoder;
  headers: Record<string, string>;
}

/** A page takes up to 100 KB. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Adds the explorer at BASE_PATH + `/` and at the root of the origin. Its HTML contains the first results,
 * which are read like those for a feed request (docs/decisions/0126-first-results.md).
 */
export function addExplorerRoutes(
  root: Router<RequestState>,
  basePath: string,
  publicUrl: string | undefined,
  files: WebFiles,
  { readView, accountOf, encoder, headers }: ExplorerSource,
): void {
  const pageOf = documentsByOrigin(MAX_BYTES);
  const paths = new Map([
    ['/', pathsFromRoot(basePath)],
    [`${basePath}/`, pathsFromBase(basePath)],
  ]);
  for (const [path, relative] of paths) {
    root.get(path, async (context) => {
      const language = languageOf(context.get('Accept-Language'));
      const origin = publicUrl ?? originOf(context);
      const read = await readView(context.search, disconnection(context), accountOf(context.req));
      const page = pageOf(`${path} ${language} ${read.search} ${read.version}`, origin, () => {
        const view = { search: read.search, language, ...read.found() };
        return htmlPage(explorerPage(files, relative, view, `${publicRoot(origin)}${basePath}/`), encoder);
      });
      await sendDocument(context, page);
      if (context.status === 200) context.status = read.status;
      context.set(headers);
      context.vary('Accept-Language');
    });
    root.options(path, respondToOptions);
  }
}
