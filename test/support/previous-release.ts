import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** The parts of the repository that the services need. */
const PARTS = ['package.json', 'packages', 'services'];

/** The code of another release, in a folder of its own. A copy uses the libraries of this installation. */
export interface ReleaseCode {
  root: string;
  remove(): void;
}

/**
 * Returns the code of 1.1.0 if VITRINE_PREVIOUS_RELEASE names an installed checkout. Otherwise, copies this
 * checkout's code without the current mappings. The copy builds, reads and writes the indices of 1.1.0: items
 * mapping 3 and changes mapping 1.
 */
export function previousRelease(): ReleaseCode {
  const { VITRINE_PREVIOUS_RELEASE: checkout } = process.env;
  if (checkout) return { root: resolve(checkout), remove: () => undefined };
  const root = mkdtempSync(join(tmpdir(), 'vitrine-previous-'));
  for (const part of PARTS)
    cpSync(join(ROOT, part), join(root, part), {
      recursive: true,
      filter: (path) => !path.endsWith('/node_modules'),
    });
  const edit = (path: string, ...replacements: [from: string, to: string][]) => {
    const file = join(root, 'packages/feed-index/src', path);
    writeFileSync(
      file,
      replacements.reduce((text, [from, to]) => replaced(text, from, to), readFileSync(file, 'utf8')),
    );
  };
  edit(
    'item-mappings.ts',
    ['[CURRENT_ITEMS, ITEMS_3]', '[ITEMS_3]'],
    ['CURRENT_ITEMS.version', 'ITEMS_3.version'],
    ["import { CURRENT_ITEMS } from './item-mapping-4.ts';\n", ''],
  );
  edit(
    'changes/change-entry.ts',
    ['CHANGES_MAPPING_VERSION = 2', 'CHANGES_MAPPING_VERSION = 1'],
    HAS_DETAILS,
  );
  linkLibraries(root);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Entries in changes mapping 1 have no details. */
const HAS_DETAILS: [string, string] = ['=> version === CHANGES_MAPPING_VERSION;', '=> version === 2;'];

function replaced(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`${from} does not occur exactly once in the code`);
  return text.replace(from, to);
}

/** The packages of the copy import each other, and the libraries of this installation. */
function linkLibraries(root: string): void {
  const [libraries, own] = [join(root, 'node_modules'), join(root, 'node_modules/@vitrine')];
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@vitrine') symlinkSync(join(ROOT, 'node_modules', name), join(libraries, name));
  for (const part of ['packages', 'services'])
    for (const folder of readdirSync(join(root, part))) {
      const { name } = JSON.parse(readFileSync(join(root, part, folder, 'package.json'), 'utf8')) as {
        name: string;
      };
      symlinkSync(join(root, part, folder), join(libraries, name));
    }
}
