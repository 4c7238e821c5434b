import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** The files that each file imports. All paths are relative to the repository's root. */
export type ImportGraph = Map<string, string[]>;

/** Entry file of each workspace by its package name, for example `@vitrine/engines`. */
export function readEntries(): Map<string, string> {
  const manifests = globSync('{packages,services}/*/package.json').map((path) => ({
    folder: dirname(path),
    ...(JSON.parse(readFileSync(path, 'utf8')) as {
      name: string;
      exports?: string | Record<string, string>;
    }),
  }));
  return new Map(
    manifests.flatMap(({ folder, name, exports = {} }) =>
      Object.entries(typeof exports === 'string' ? { '.': exports } : exports).map(
        ([subpath, file]) => [join(name, subpath), join(folder, file)] as const,
      ),
    ),
  );
}

/** The files that this file imports. Omits packages from outside the repository. */
export function importsOf(path: string, text: string, entries: ReadonlyMap<string, string>): string[] {
  return ts.preProcessFile(text).importedFiles.flatMap(({ fileName }) => {
    if (fileName.startsWith('.')) return [normalize(join(dirname(path), fileName))];
    return entries.get(fileName) ?? [];
  });
}

/**
 * The tests that depend on a changed file, the nearest first, so that the test beside the file comes before
 * the tests of its distant users. Only tests of the same workspace count, because the tests of other
 * workspaces take too long after each save.
 */
export function affectedTests(
  changed: readonly string[],
  graph: ImportGraph,
  tests: ReadonlySet<string>,
): string[] {
  const importers = new Map<string, string[]>();
  for (const [file, imports] of graph)
    for (const imported of imports) importers.set(imported, [...(importers.get(imported) ?? []), file]);
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  const workspaces = new Set(changed.map(workspaceOf));
  return [...reached].filter((file) => tests.has(file) && workspaces.has(workspaceOf(file)));
}

const workspaceOf = (path: string) => /^(?:packages|services)\/[^/]+|^[^/]+/.exec(path)?.[0];
