import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const DIST = join(import.meta.dirname, '../../dist');

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

/** A script, a style sheet or a search index of the pages. */
export interface WebFile {
  /** The name with a hash of the content. A cache may therefore keep the file forever. */
  name: string;
  contentType: string;
  content: Buffer;
}

/** The built files by the name of their source, such as `explorer.js`. */
export type WebFiles = ReadonlyMap<string, WebFile>;

/**
 * Reads the files that packages/web/build.mjs has built. A later build deletes them, so a running process
 * keeps them in memory.
 * @throws Error if the files do not exist
 */
export function readWebFiles(): WebFiles {
  const { files } = JSON.parse(readBuilt('manifest.json')) as { files: Record<string, string> };
  return new Map(
    Object.entries(files).map(([source, name]) => [
      source,
      {
        name,
        contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
        content: readFileSync(join(DIST, name)),
      },
    ]),
  );
}

/** The site as packages/web/build.mjs writes it. */
export interface Site {
  /** Complete pages by their address below the base path, with the placeholders `%FEEDS%` and `%ROOT%`. */
  pages: Record<string, string>;
  /** The page for unknown addresses in each language. `%UP%` is the relative URL of the base path. */
  notFound: Record<'en' | 'pt-BR', string>;
  /** Earlier addresses below the base path, and what replaces their last segment. */
  moved: Record<string, string>;
  /** The source of the style in the pages, for their Content-Security-Policy. */
  styleSource: string;
}

/** Reads the documentation site that packages/web/build.mjs has written. @throws Error if it does not exist */
export const readSite = (): Site => JSON.parse(readBuilt('site.json')) as Site;

/** Reads the contract of the topics as JSON (asyncapi.yaml). @throws Error if packages/web/build.mjs has not run */
export const readAsyncApi = (): string => readBuilt('asyncapi.json');

function readBuilt(name: string): string {
  try {
    return readFileSync(join(DIST, name), 'utf8');
  } catch (cause) {
    throw new Error('the pages are not built: run node packages/web/build.mjs', { cause });
  }
}
