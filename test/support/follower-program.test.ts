import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FollowerProgram } from './follower-program.ts';
import { eventually } from './service-process.ts';

describe('FollowerProgram', () => {
  const { TMPDIR } = process.env;
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });

  it('has no ending while it runs and after a kill', async () => {
    const follower = new FollowerProgram('follow.ts', 'http://127.0.0.1:9/api');
    try {
      expect(follower.ending()).to.equal(undefined);
      follower.start();
      expect(follower.ending()).to.equal(undefined);
      await follower.kill();
      expect(follower.ending()).to.equal(undefined);
    } finally {
      await follower.close();
    }
  });

  it('has an ending after it ended by itself, even after an earlier kill', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'));
    process.env.TMPDIR = folder;
    const follower = new FollowerProgram('follow.ts', 'http://127.0.0.1:9/api');
    await follower.kill();
    // The program cannot create its file.
    rmSync(folder, { recursive: true });
    follower.start();
    const ending = await eventually('the program ends', async () => follower.ending());
    expect(ending).to.equal(1);
  });
});
