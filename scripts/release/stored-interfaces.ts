import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Interfaces } from '../interfaces/compare-releases.ts';
import { taggedCommit } from './repository.ts';

/** The folder of the stored interfaces, relative to the repository. */
export const RELEASES = 'docs/reference/releases';

/**
 * Writes the interfaces of a version into the repository at `root`.
 * @throws if the version has a tag and a file would change. The release is then published, and its clients
 * depend on the stored interfaces.
 */
export function storeInterfaces(root: string, version: string, interfaces: Interfaces): void {
  const folder = join(root, RELEASES, version);
  const changed = Object.entries(interfaces)
    .map(([file, document]) => ({ path: join(folder, file), text: textOf(document) }))
    .filter(({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
  if (changed.length > 0 && taggedCommit(root, version) !== undefined)
    throw new Error(
      `The tag v${version} exists, so the interfaces of this version are published and must not change. ` +
        'Raise the version first: docs/operate/releasing.md, steps 1 to 3.',
    );
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of changed) writeFileSync(path, text);
}

const textOf = (document: Interfaces[string]): string => `${JSON.stringify(document, undefined, 2)}\n`;
