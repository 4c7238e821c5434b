import type Router from '@koa/router';
import { readWebFiles, type WebFile, type WebFiles } from '@vitrine/web';
import type { Page } from '../../cache/page.ts';
import { Problem } from '../../contract/problem.ts';
import { documentPage } from '../documents.ts';
import { type RequestState, respondToOptions, sendDocument } from '../routes.ts';
import { addDocsRoutes, type Limits } from './docs-routes.ts';
import { addExplorerRoutes, type ExplorerSource } from './explorer-routes.ts';

/** The name of a file contains a hash of its content. RFC 8246. */
const FOREVER = 'public, max-age=31536000, immutable';
const BRIEFLY = 'no-store';
/** The name of a built file: the name of its source with a hash. */
const BUILT = /^(.+)-[0-9a-f]{12}(\.\w+)$/;

/**
 * Adds the pages for people, and the scripts and styles of these pages. Rule: docs/reference/views.md.
 * @param root a router without a prefix
 * @param publicUrl the setting PUBLIC_URL. Without it, examples contain the Host of the request.
 * @param limits the numbers in the documentation
 */
export function addWebRoutes(
  root: Router<RequestState>,
  basePath: string,
  publicUrl: string | undefined,
  limits: Limits,
  explorer: ExplorerSource | undefined,
): void {
  const files = readWebFiles();
  if (explorer) addExplorerRoutes(root, basePath, publicUrl, files, explorer);
  if (basePath !== '') {
    root.get(basePath, (context) => {
      context.status = 308;
      // The path is relative to the request, because a proxy may have removed a prefix.
      context.redirect(`${basePath.slice(basePath.lastIndexOf('/') + 1)}/${context.search}`);
    });
    root.options(basePath, respondToOptions);
  }

  addDocsRoutes(root, basePath, publicUrl, limits);
  addFiles(root, `${basePath}/web/:file`, files);
}

/**
 * Adds the files. While one release replaces another, a page from one release may request its files from a
 * process of the other release. The page then receives that process's file from the same source file. No
 * cache may keep this file under the requested name.
 */
function addFiles(root: Router<RequestState>, path: string, files: WebFiles): void {
  const read = new Map<string, Page>();
  root.get(path, async (context) => {
    const name = context.params['file'] ?? '';
    const file = files.get(name.replace(BUILT, '$1$2'));
    if (!file || !BUILT.test(name)) throw new Problem('unknown-path', 'This path does not exist.');
    const page = read.get(file.name) ?? filePage(file);
    read.set(file.name, page);
    await sendDocument(context, page);
    context.set('X-Content-Type-Options', 'nosniff');
    if (name !== file.name) context.set('Cache-Control', BRIEFLY);
  });
  root.options(path, respondToOptions);
}

const filePage = ({ content, contentType }: WebFile): Page => documentPage(content, contentType, FOREVER);
