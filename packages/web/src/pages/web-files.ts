import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIST = join(import.meta.dirname, '../../dist');

/** A script or a style sheet of the pages. */
export interface WebFile {
  /** The name with a hash of the content, so that a cache may keep the file forever. */
  name: string;
  contentType: string;
  content: Buffer;
}

/** The built files by the name of their source, such as `explorer.js`. */
export type WebFiles = ReadonlyMap<string, WebFile>;

/**
 * Reads the files that packages/web/build.mjs has built. A later build deletes them, so a process that runs keeps
 * them in memory.
 * @throws Error if the files do not exist
 */
export function readWebFiles(): WebFiles {
  const { files } = JSON.parse(readBuilt('manifest.json')) as { files: Record<string, string> };
  return new Map(
    Object.entries(files).map(([source, name]) => [
      source,
      {
        name,
        contentType: name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
        content: readFileSync(join(DIST, name)),
      },
    ]),
  );
}

/** The guides as HTML, by name and language. */
export type Guides = Record<'crawlers' | 'agents', Record<'en' | 'pt-BR', string>>;

/** Reads the guides that packages/web/build.mjs has rendered. @throws Error if they do not exist */
export const readGuides = (): Guides => JSON.parse(readBuilt('guides.json')) as Guides;

function readBuilt(name: string): string {
  try {
    return readFileSync(join(DIST, name), 'utf8');
  } catch (cause) {
    throw new Error('the pages are not built: run node packages/web/build.mjs', { cause });
  }
}
