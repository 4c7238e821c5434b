import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cacheFolder, prepareCacheFolder } from './cache-folder.ts';

describe('the cache folder', () => {
  it('is the folder that VITRINE_CACHE names', () => {
    expect(cacheFolder({ VITRINE_CACHE: '/data/cache', XDG_CACHE_HOME: '/x' }, true)).to.equal('/data/cache');
  });

  it('is a folder that other users can enter for root, and otherwise a folder in the home', () => {
    expect(cacheFolder({ HOME: '/root' }, true)).to.equal('/var/cache/vitrine');
    expect(cacheFolder({ HOME: '/home/a' }, false)).to.equal('/home/a/.cache/vitrine');
    expect(cacheFolder({ HOME: '/home/a', XDG_CACHE_HOME: '/x' }, false)).to.equal('/x/vitrine');
  });

  it('is accessible to the user of the engines despite umask 077, and so is each new parent folder', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'vitrine-umask-'));
    const umask = process.umask(0o077);
    try {
      // the existing parent is not accessible
      await prepareCacheFolder(join(parent, 'one', 'two'), true).catch(() => undefined);
      for (const path of ['one', 'one/two'])
        expect((await stat(join(parent, path))).mode & 0o777).to.equal(0o755);
    } finally {
      process.umask(umask);
      await rm(parent, { recursive: true });
    }
  });
});
