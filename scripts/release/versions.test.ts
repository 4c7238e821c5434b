import { expect } from 'chai';
import { checkVersions, imageVersions, lockVersions } from './versions.ts';

const found = (text: string) => imageVersions('f', text).map(({ version }) => version);

describe('versions of a release', () => {
  it('are read from image names, labels, tags and their defaults', () => {
    const texts: [text: string, version: string][] = [
      ['    image: vitrine/projector:1.2.3\n', '1.2.3'],
      ['    image: "registry.test/vitrine/query:1.2.3"\n', '1.2.3'],
      [`    image: vitrine/query:$${'{'}TAG:-1.2.3}\n`, '1.2.3'],
      ['#   docker build --target cli -t vitrine/cli:1.2.3 .\n', '1.2.3'],
      ['Use `vitrine/cli:1.2.3`, or build it.\n', '1.2.3'],
      ['ARG VERSION=1.2.3\n', '1.2.3'],
      ['LABEL org.opencontainers.image.version="1.2.3" \\\n', '1.2.3'],
      ['    app.kubernetes.io/version: "1.2.3"\n', '1.2.3'],
      ['images:\n  - name: vitrine/query\n    newName: r.test/vitrine/query\n    newTag: 1.2.3\n', '1.2.3'],
      ['images:\n  - name: r.test/vitrine/query\n    newTag: "1.2.3"\n', '1.2.3'],
      ['    newTag: 9\n  - name: vitrine/query\n    newTag: 1.2.3-4\n', '1.2.3'],
    ];
    for (const [text, version] of texts) expect(found(text), text).to.deep.equal([version]);
  });

  it('ignore other images, and variables without a default', () => {
    expect(
      found('image: elasticsearch:9.5.0\nLABEL org.opencontainers.image.version="$VERSION"\n'),
    ).to.deep.equal([]);
    expect(found('images:\n  - name: busybox\n    newTag: 2.0.0\n')).to.deep.equal([]);
  });

  it('are read from the lock file, of the repository and its workspaces only', () => {
    const lock = {
      version: '1.0.0',
      packages: {
        '': { version: '1.0.0' },
        'packages/a': { version: '1.0.1' },
        'node_modules/b': { version: '9.0.0' },
        'packages/a/node_modules/c': { version: '9.0.0' },
        'node_modules/@vitrine/a': { link: true },
      },
    };
    expect(lockVersions(lock).map(({ version }) => version)).to.deep.equal(['1.0.0', '1.0.0', '1.0.1']);
  });

  const group = (...versions: (string | undefined)[]) => ({
    kind: 'images',
    versions: versions.map((version, index) => ({ place: `file ${index}`, version })),
  });
  it('agree', () => expect(checkVersions('1.1.0', [group('1.1.0', '1.1.0')]).status).to.equal('ok'));
  it('fail if one place names another version', () => {
    const { status, details } = checkVersions('1.1.0', [group('1.1.0'), group('1.1.0', '1.0.0')]);
    expect(status).to.equal('failed');
    expect(details).to.deep.equal(['file 1 names 1.0.0 instead of 1.1.0']);
  });
  it('fail if a place names none', () =>
    expect(checkVersions('1.1.0', [group(undefined)]).details).to.deep.equal([
      'file 0 names no version instead of 1.1.0',
    ]));
  it('fail if a kind of place has no version, because the check would compare nothing', () =>
    expect(checkVersions('1.1.0', [group('1.1.0'), group()]).details).to.deep.equal([
      'no version found in: images',
    ]));
});
