import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openApiDocument, serverCard } from '@vitrine/query';
import { asyncApiDocument } from '../asyncapi.ts';
import { findingLine } from '../interfaces/finding.ts';
import { breakingChanges, currentInterfaces, storedInterfaces, storedVersions } from '../interfaces.ts';
import { ALLOWED, bundled, FILE, licencesPage, readLock, shipped } from '../licences.ts';
import { checkChangelog } from './changelog.ts';
import { type CheckResult, type ReleaseCheck, resultOf } from './check-result.ts';
import { checkLicenseFields, checkPublicPackages, checkTag, checkWorkingTree } from './repository.ts';
import { checkVersions, imageVersions, lockVersions, type NamedVersion } from './versions.ts';

/** Packages that others can use. */
const PUBLIC_PACKAGES = ['packages/listing', 'packages/projection', 'packages/engines'];
const MANIFESTS = ['package.json', '{packages,services}/*/package.json', '{demo,test,bench}/package.json'];
const IMAGES = {
  'infra/docker/Dockerfile': 'infra/docker/Dockerfile',
  'the Compose file': '{,infra/}compose.{yaml,yml}',
  'the Kubernetes manifests': 'infra/kubernetes/**/*.yaml',
};
const RULES_PAGE = 'docs/reference/rules.md';
/** They may contain tags of images. */
const PAGES = '{README.md,docs/{start,guide,operate}/*.md}';

/** The checks that read only the files of the repository at `root`. */
export function fileChecks(root: string, version: string): ReleaseCheck[] {
  return [
    treeCheck(root, 'clean tree'),
    {
      name: 'versions',
      repair:
        'Set each place to the version of package.json. `npm install --package-lock-only` updates the lock ' +
        'file, and `npm run asyncapi` updates asyncapi.yaml. If the version has a tag, raise the version ' +
        '(docs/operate/releasing.md, steps 1 to 3).',
      run: () => {
        const tag = checkTag(root, version);
        return tag.status === 'failed' ? tag : versionCheck(root, version);
      },
    },
    {
      name: 'changelog',
      repair:
        'Move the lines of "Unreleased" to an entry "## [VERSION] - YYYY-MM-DD" (docs/operate/releasing.md).',
      run: () =>
        checkChangelog(
          readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
          version,
          new Date().toISOString().slice(0, 10),
        ),
    },
    {
      name: 'licenses',
      repair: 'Run `npm run licences`. Replace a package whose license is not allowed.',
      run: () => licenseCheck(root),
    },
    {
      name: 'breaking changes',
      repair:
        'Keep the old form beside the new one, or release a new major version (docs/decisions/0080-breaking-changes.md).',
      run: () => interfaceCheck(version),
    },
    {
      name: 'stored interfaces',
      repair: 'Run `npm run interfaces` and commit docs/reference/releases.',
      run: () => storedCheck(version),
    },
    {
      name: 'public packages',
      repair: 'Write the README with an example that a test runs, and the exports map.',
      run: () => checkPublicPackages(root, PUBLIC_PACKAGES),
    },
  ];
}

/** Fails if the working tree at `root` differs from its commit. */
export const treeCheck = (root: string, name: string): ReleaseCheck => ({
  name,
  repair:
    'Commit or remove these files. `git update-index --no-assume-unchanged --no-skip-worktree FILE` ' +
    'shows the changes of a file that git ignores.',
  run: () => checkWorkingTree(root),
});

/** Compares the version of every workspace, interface, image and manifest with `version`. */
export function versionCheck(root: string, version: string): CheckResult {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const json = (path: string): unknown => JSON.parse(read(path));
  const images = (pattern: string): NamedVersion[] =>
    filesOf(root, pattern).flatMap((path) => imageVersions(path, read(path)));
  const versionIn = (document: unknown) => (document as { version: string }).version;
  return checkVersions(version, [
    {
      kind: 'the workspaces',
      versions: filesOf(root, MANIFESTS).map((place) => ({ place, version: versionIn(json(place)) })),
    },
    {
      kind: 'the lock file',
      versions: lockVersions(json('package-lock.json') as Parameters<typeof lockVersions>[0]),
    },
    {
      kind: 'the interfaces',
      versions: [
        { place: 'OpenAPI', version: openApiDocument('/api').info.version },
        { place: 'AsyncAPI', version: versionIn(asyncApiDocument().info) },
        { place: 'asyncapi.yaml', version: /^ {2}version: (\S+)$/m.exec(read('asyncapi.yaml'))?.[1] },
        {
          place: RULES_PAGE,
          version: /^- The interface version is (\S+) \(/m.exec(read(RULES_PAGE))?.[1],
        },
        { place: 'MCP server card', version: versionIn(serverCard('https://feeds.vitrine.test')) },
      ],
    },
    ...Object.entries(IMAGES).map(([kind, pattern]) => ({ kind, versions: images(pattern) })),
    ...[images(PAGES)]
      .filter((versions) => versions.length > 0)
      .map((versions) => ({ kind: 'the pages', versions })),
  ]);
}

const filesOf = (root: string, patterns: string | string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: (path) => path.includes('node_modules') }).sort();

function licenseCheck(root: string): CheckResult {
  const lock = readLock();
  const packages = shipped(lock);
  const inPages = bundled(lock);
  const problems = [...packages, ...inPages]
    .filter(({ license }) => !ALLOWED.has(license))
    .map(({ name, license }) => `${name} has the license ${license}`);
  if (readFileSync(FILE, 'utf8') !== licencesPage(packages, inPages))
    problems.push('docs/reference/licences.md is out of date');
  const own = checkLicenseFields(root, filesOf(root, MANIFESTS));
  if (own.status === 'failed') problems.push(...own.details);
  return resultOf(problems, `${packages.length + inPages.length} packages with allowed licenses`);
}

function interfaceCheck(version: string): CheckResult {
  const found = breakingChanges(version, currentInterfaces());
  const problems = [...found].flatMap(([since, findings]) =>
    findings.map((finding) => `since ${since}: ${findingLine(finding)}`),
  );
  return resultOf(problems, `none since ${[...found.keys()].join(' and ') || 'this major version began'}`);
}

function storedCheck(version: string): CheckResult {
  if (!storedVersions().includes(version)) return resultOf([`docs/reference/releases has no ${version}`], '');
  const stored = storedInterfaces(version);
  const problems = Object.entries(currentInterfaces())
    .filter(([file, document]) => !isDeepStrictEqual(stored[file], document))
    .map(([file]) => `${file} of ${version} differs from the code`);
  return resultOf(problems, `docs/reference/releases/${version}`);
}
