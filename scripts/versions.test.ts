import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument, serverCard } from '@vitrine/query';
import { expect } from 'chai';
import release from '../package.json' with { type: 'json' };

const { version } = release;
const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const filesOf = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: (path) => path.includes('node_modules') }).sort();

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

/** The versions in a file's image names, labels and tags. A variable counts only with its default. */
function imageVersions(text: string): string[] {
  return TAGS.flatMap((pattern) => [...text.matchAll(pattern)]).flatMap(([, found = '']) => {
    const value = found.replace(/^["'`]+|["'`,;)\\]+$/g, '').trim();
    const preset = value.startsWith('$')
      ? /^\$\{\w+:-([^}]+)\}/.exec(value)?.[1]
      : value.replace(/[`"'].*$/, '');
    return preset?.replace(BUILD, '') ?? [];
  });
}

describe(`the version ${version} of package.json`, () => {
  for (const path of filesOf('{packages,services}/*/package.json', '{demo,test,bench}/package.json'))
    it(`is the version of ${path}`, () => expect(JSON.parse(read(path))).to.include({ version }));

  it('is the version of the repository and of each workspace in the lock file', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { version?: string; link?: boolean }>;
    };
    const own = Object.entries(packages).filter(
      ([folder, { link }]) => !link && !folder.includes('node_modules/'),
    );
    expect(own).to.have.length.above(10);
    for (const [folder, locked] of own) expect(locked, folder).to.include({ version });
  });

  it('is the version of the interfaces', () => {
    expect(openApiDocument('/api').info).to.include({ version });
    expect(serverCard('https://feeds.vitrine.test')).to.include({ version });
    expect(read('docs/reference/rules.md')).to.include(`- The interface version is ${version} (`);
  });

  for (const [kind, ...patterns] of [
    ['the Dockerfile', 'infra/docker/Dockerfile'],
    ['the Compose file', 'compose.yaml'],
    ['the Kubernetes manifests', 'infra/kubernetes/**/*.yaml'],
    ['the pages', 'README.md', 'docs/{start,guide,operate}/*.md'],
  ] as const)
    it(`is the only version of Vitrine's images in ${kind}`, () => {
      const named = filesOf(...patterns).flatMap((path) =>
        imageVersions(read(path)).map((found) => `${path}: ${found}`),
      );
      // The pages may name no image.
      if (kind !== 'the pages') expect(named).to.have.length.above(0);
      expect(named.filter((place) => !place.endsWith(`: ${version}`))).to.deep.equal([]);
    });

  it('is found in image names, labels, tags and their defaults', () => {
    const texts: [text: string, ...versions: string[]][] = [
      ['    image: "registry.test/vitrine/query:1.2.3"\n', '1.2.3'],
      [`    image: vitrine/query:$${'{'}TAG:-1.2.3}\n`, '1.2.3'],
      ['Use `vitrine/cli:1.2.3`, or build it.\n', '1.2.3'],
      ['ARG VERSION=1.2.3\n', '1.2.3'],
      ['LABEL org.opencontainers.image.version="1.2.3" \\\n', '1.2.3'],
      ['    app.kubernetes.io/version: "1.2.3"\n', '1.2.3'],
      ['    newTag: 9\n  - name: vitrine/query\n    newTag: 1.2.3-4\n', '1.2.3'],
      ['image: elasticsearch:9.5.0\nLABEL org.opencontainers.image.version="$VERSION"\n'],
      ['images:\n  - name: busybox\n    newTag: 2.0.0\n'],
    ];
    for (const [text, ...versions] of texts) expect(imageVersions(text), text).to.deep.equal(versions);
  });
});
