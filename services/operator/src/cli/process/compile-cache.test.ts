import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { privateCacheFolder } from './compile-cache.ts';

const UID = process.getuid?.() ?? -1;
const ANOTHER_USER = 65_534;

describe('the compile cache of the command line', () => {
  let home: string;
  let temporary: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'vitrine-home-'));
    temporary = mkdtempSync(join(tmpdir(), 'vitrine-tmp-'));
  });
  afterEach(() => {
    for (const folder of [home, temporary]) rmSync(folder, { recursive: true, force: true });
  });

  const cacheOf = () => join(home, '.cache/vitrine/compile');

  it('does not use a folder of another user, a symbolic link, or a folder whose parent others can change', () => {
    expect(privateCacheFolder({ HOME: home }, UID)).to.equal(cacheOf());
    chmodSync(cacheOf(), 0o750);
    expect(privateCacheFolder({ HOME: home }, UID), 'folder that others can read').to.equal(undefined);
    chmodSync(cacheOf(), 0o700);
    expect(privateCacheFolder({ HOME: home }, UID + 1), 'folder of another user').to.equal(undefined);
    if (UID === 0) {
      chownSync(join(home, '.cache/vitrine'), ANOTHER_USER, ANOTHER_USER);
      expect(privateCacheFolder({ HOME: home }, UID), 'parent of another user').to.equal(undefined);
      chownSync(join(home, '.cache/vitrine'), UID, UID);
    }
    chmodSync(join(home, '.cache'), 0o777);
    expect(privateCacheFolder({ HOME: home }, UID), 'parent that others can change').to.equal(undefined);
    chmodSync(join(home, '.cache'), 0o755);
    expect(privateCacheFolder({ HOME: home }, UID)).to.equal(cacheOf());
    rmSync(cacheOf(), { recursive: true });
    symlinkSync(temporary, cacheOf());
    expect(privateCacheFolder({ HOME: home }, UID), 'symbolic link').to.equal(undefined);
  });

  it('follows XDG_CACHE_HOME, and uses no cache if the folder cannot be created', () => {
    expect(privateCacheFolder({ HOME: home, XDG_CACHE_HOME: temporary }, UID)).to.equal(
      join(temporary, 'vitrine/compile'),
    );
    expect(privateCacheFolder({ HOME: home, XDG_CACHE_HOME: 'relative' }, UID)).to.equal(cacheOf());
    expect(existsSync('relative')).to.equal(false);
    expect(privateCacheFolder({ HOME: import.meta.filename }, UID)).to.equal(undefined);
  });
});
