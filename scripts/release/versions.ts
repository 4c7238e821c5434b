import { type CheckResult, resultOf } from './check-result.ts';

/** A place that names the version of the release. */
export interface NamedVersion {
  place: string;
  version: string | undefined;
}

/** A kind of place of which at least one must exist, such as the images of the manifests. */
export interface VersionGroup {
  kind: string;
  versions: NamedVersion[];
}

/** An image may have a build number after the version: `1.1.0-2` is the second build of 1.1.0. */
const BUILD = /-\d+$/;
const TAGS = [
  /\bvitrine\/[a-z-]+:(\S+)/g,
  /^ARG VERSION=(.*)$/gm,
  /org\.opencontainers\.image\.version\s*[:=]\s*(\S+)/g,
  /app\.kubernetes\.io\/version:\s*(\S+)/g,
  // An entry of a kustomization. Only indented lines continue the entry.
  /^ *- name: \S*vitrine\/\S+\n(?: +\w+: .*\n)*? +newTag: (.*)$/gm,
];

/** The versions in the image names, labels and tags of a Dockerfile, a Compose file, a manifest or a page. Pure. */
export function imageVersions(place: string, text: string): NamedVersion[] {
  return TAGS.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, found = '']) => defaultOf(found.replace(/^["'`]+|["'`,;)\\]+$/g, '').trim()))
    .filter((version) => version !== undefined)
    .map((version) => ({ place, version: version.replace(BUILD, '') }));
}

/** The default of a variable such as `${TAG:-1.1.0}`. A variable without a default names no version. */
function defaultOf(text: string): string | undefined {
  if (!text.startsWith('$')) return text.replace(/[`"'].*$/, '');
  return /^\$\{\w+:-([^}]+)\}/.exec(text)?.[1];
}

/** The versions that a lock file states for the repository and its workspaces. Pure. */
export function lockVersions(lock: {
  version?: string;
  packages: Record<string, { version?: string; link?: boolean }>;
}): NamedVersion[] {
  const own = Object.entries(lock.packages).filter(
    ([folder, { link }]) => !link && !folder.includes('node_modules/'),
  );
  return [
    { place: 'package-lock.json', version: lock.version },
    ...own.map(([folder, { version }]) => ({ place: `package-lock.json (${folder || 'root'})`, version })),
  ];
}

/** Fails if a place names another version, or if a kind of place names none. Pure. */
export function checkVersions(expected: string, groups: readonly VersionGroup[]): CheckResult {
  const problems = groups.flatMap(({ kind, versions }) =>
    versions.length === 0
      ? [`no version found in: ${kind}`]
      : versions
          .filter(({ version }) => version !== expected)
          .map(({ place, version }) => `${place} names ${version ?? 'no version'} instead of ${expected}`),
  );
  const count = groups.reduce((sum, { versions }) => sum + versions.length, 0);
  return resultOf([...new Set(problems)], `${count} places name ${expected}`);
}
