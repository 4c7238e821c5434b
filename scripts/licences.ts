import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// `npm run licences` generates docs/reference/licences.md: the third-party packages of the images, from the
// lock file.

const ROOT = join(import.meta.dirname, '..');
/** The path of the committed page. */
export const FILE = join(ROOT, 'docs/reference/licences.md');
/** Permissive licenses that require only their text. */
export const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
]);
const TARGETS = ['projector', 'ingest', 'query', 'cli', 'demo'] as const;

interface Locked {
  version?: string;
  license?: string;
  /** Whether the entry is a link to the workspace in the folder `resolved`. */
  link?: boolean;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}
/** A lock file's packages, by their folders. */
export type Lock = Record<string, Locked>;

/** A third-party package in an image. */
export interface Shipped {
  name: string;
  version: string;
  license: string;
  targets: string[];
}

/** The workspaces whose packages an image contains. */
function workspacesOf(target: string): string[] {
  const dockerfile = readFileSync(join(ROOT, 'infra/docker/Dockerfile'), 'utf8');
  const stage = dockerfile.split(/^FROM /m).find((text) => text.includes(`AS ${target}-packages\n`)) ?? '';
  return [...stage.matchAll(/--workspace (\S+)/g)].map(([, workspace = '']) => workspace);
}

/** The folder in which a package finds a dependency: the package's own folder, or a folder above it. */
function resolve(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const path = `${folder}${folder && '/'}node_modules/${name}`;
    if (lock[path]) return path;
    if (folder === '') return undefined;
  }
}

/**
 * The production dependencies of these workspaces and of the workspaces that they need, together with the
 * dependencies of these dependencies. Pure.
 * @throws if the lock file lacks a dependency
 */
export function closure(lock: Lock, workspaces: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (folder: string): void => {
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = lock[folder] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const path = resolve(lock, folder, name);
      if (path === undefined && name in dependencies)
        throw new Error(`${folder} needs ${name}, which is not in the lock file`);
      if (path === undefined || found.has(path)) continue;
      found.add(path);
      visit(lock[path]?.resolved ?? path);
    }
  };
  workspaces.forEach(visit);
  return [...found].filter((path) => !lock[path]?.link).sort();
}

/** The third-party packages of the images. */
export function shipped(lock: Lock): Shipped[] {
  const targetsOf = new Map<string, string[]>();
  for (const target of TARGETS)
    for (const path of closure(lock, workspacesOf(target)))
      targetsOf.set(path, [...(targetsOf.get(path) ?? []), target]);
  return [...targetsOf]
    .map(([path, targets]) => ({
      name: path.replace(/^.*node_modules\//, ''),
      version: lock[path]?.version ?? '',
      license: lock[path]?.license ?? 'unknown',
      targets,
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
}

export const readLock = (): Lock =>
  (JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages;

/** The packages whose code is in the pages' scripts. packages/web/build.mjs writes the packages' names. */
export function bundled(lock: Lock): Omit<Shipped, 'targets'>[] {
  const manifest = readFileSync(join(ROOT, 'packages/web/dist/manifest.json'), 'utf8');
  const { packages } = JSON.parse(manifest) as { packages: string[] };
  return packages.map((name) => {
    const { version = '', license = 'unknown' } = lock[`node_modules/${name}`] ?? {};
    return { name, version, license };
  });
}

/** The text of the committed page. */
export function licencesPage(
  packages: readonly Shipped[],
  inPages: readonly Omit<Shipped, 'targets'>[],
): string {
  const counts = Object.entries(Object.groupBy(packages, ({ license }) => license)).map(
    ([license, those = []]) => `${those.length} ${license}`,
  );
  const rows = packages.map(
    ({ name, version, license, targets }) => `| ${name} | ${version} | ${license} | ${targets.join(', ')} |`,
  );
  return `# Licenses

\`npm run licences\` generates this page from the lock file. A test fails if the page is out of date, or if a package
has a license other than ${[...ALLOWED].slice(0, -1).join(', ')} or ${[...ALLOWED].at(-1)}.

The images contain ${packages.length} third-party packages with these licenses:
${counts.sort().join(', ')}.
The packages' folders contain the license texts, and therefore the images contain them too. Only koa-compose and
lz4js, both under the MIT license, contain no license text. Vitrine itself is licensed under Apache-2.0. The lock
file also lists packages for development and tests, but no image contains these packages.

| package | version | license | in |
|---|---|---|---|
${rows.join('\n')}

## In the scripts of the pages

The scripts that browsers load contain the code of these packages. The file \`licences.txt\`
beside the built scripts has their license texts.

| package | version | license |
|---|---|---|
${inPages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`).join('\n')}

## In the explorer's map

| data | source | terms |
|---|---|---|
| outlines of the states | Natural Earth, 1:50m admin 1, from \`r-cran-rnaturalearthdata\` 0.1.0 | public domain; the package is CC0 |
| places of the cities | \`kelvins/municipios-brasileiros\`, commit 503e2f7, with coordinates of IBGE | MIT |

The file \`licences.txt\` has the text of these terms. [Decision 0127](../decisions/0127-map-of-the-results.md) describes
how the data were reduced.
`;
}

if (import.meta.main) writeFileSync(FILE, licencesPage(shipped(readLock()), bundled(readLock())));
