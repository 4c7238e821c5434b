import { expect } from 'chai';
import { cacheFolder } from './cache-folder.ts';

describe('the cache folder', () => {
  it('is the one that VITRINE_CACHE names', () => {
    expect(cacheFolder({ VITRINE_CACHE: '/data/cache', XDG_CACHE_HOME: '/x' }, true)).to.equal('/data/cache');
  });

  it('is one that others can enter for root, else one in the home', () => {
    expect(cacheFolder({ HOME: '/root' }, true)).to.equal('/var/cache/vitrine');
    expect(cacheFolder({ HOME: '/home/a' }, false)).to.equal('/home/a/.cache/vitrine');
    expect(cacheFolder({ HOME: '/home/a', XDG_CACHE_HOME: '/x' }, false)).to.equal('/x/vitrine');
  });
});
