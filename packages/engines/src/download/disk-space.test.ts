import { execFileSync } from 'node:child_process';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EnginesError } from '../engine-control.ts';
import { checkDiskSpace, neededBytes } from './disk-space.ts';
import { ENGINES } from './distributions.ts';

describe('the disk space for the engines', () => {
  it('includes the download if it is still necessary', () => {
    expect(neededBytes(ENGINES, false)).to.be.above(neededBytes(ENGINES, true));
    expect(neededBytes(ENGINES, true)).to.be.above(600_000_000); // Elasticsearch refuses new indices below
  });

  it('is refused on a small disk with the folder, the amounts and the setting', async function () {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      await rmdir(folder);
      this.skip(); // only root can mount, and only outside some containers
    }
    try {
      const failure = await checkDiskSpace(folder, ENGINES, false).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(EnginesError);
      expect(String(failure)).to.match(
        /disk that holds \/\S+ does not have enough free space\. It has 67 MB, .* takes 1,350 MB .*VITRINE_CACHE/,
      );
    } finally {
      execFileSync('umount', [folder]);
      await rmdir(folder);
    }
  });
});
