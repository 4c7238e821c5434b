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
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** The parts of the repository that the services need. */
const PARTS = ['package.json', 'packages', 'services'];

/** The code of another release, in a folder of its own. It uses the libraries of this installation. */
export interface ReleaseCode {
  root: string;
  remove(): void;
}

/**
 * Copies the code of this checkout and adds `NEXT_ITEMS` of the fixtures to its items mappings, as a release
 * with a new items mapping does.
 */
export function nextRelease(): ReleaseCode {
  const root = mkdtempSync(join(tmpdir(), 'vitrine-next-'));
  for (const part of PARTS)
    cpSync(join(ROOT, part), join(root, part), {
      recursive: true,
      filter: (path) => !path.endsWith('/node_modules'),
    });
  const mappings = join(root, 'packages/feed-index/src');
  const next = readFileSync(join(root, 'packages/fixtures/src/next-items.ts'), 'utf8');
  writeFileSync(
    join(mappings, 'next-items.ts'),
    replaced(next, "'@vitrine/feed-index'", "'./item-mapping-4.ts'"),
  );
  const current = readFileSync(join(mappings, 'item-mappings.ts'), 'utf8');
  writeFileSync(
    join(mappings, 'item-mappings.ts'),
    `import { NEXT_ITEMS } from './next-items.ts';\n${replaced(
      replaced(current, '[CURRENT_ITEMS, ITEMS_3]', '[NEXT_ITEMS, CURRENT_ITEMS]'),
      'CURRENT_ITEMS.version',
      'NEXT_ITEMS.version',
    )}`,
  );
  linkLibraries(root);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

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
