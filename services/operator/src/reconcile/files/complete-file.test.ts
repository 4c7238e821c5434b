import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { completeFile } from './complete-file.ts';
import { assertDistinctFiles } from './distinct-files.ts';

describe('a written file', () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'complete-file-test-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (out: string) => completeFile(out, async (file) => file.add({ a: 1 }));

  it('replaces an earlier file, even behind a link', async () => {
    await writeFile(at('one'), 'old');
    await symlink(at('one'), at('link'));
    await write(at('link'));
    expect(await readlink(at('link'))).to.equal(at('one'));
    expect(await readFile(at('one'), 'utf8')).to.equal('{"a":1}\n');
    expect((await readdir(folder)).sort()).to.deep.equal(['link', 'one']);
  });

  it('is a whole file of one of two processes that write to one path', async () => {
    const first = Promise.withResolvers<void>();
    const slow = completeFile(at('out'), async (file) => {
      file.add({ slow: 1 });
      await first.promise;
      file.add({ slow: 2 });
    });
    await completeFile(at('out'), async (file) => file.add({ fast: 1 }));
    expect(await readFile(at('out'), 'utf8')).to.equal('{"fast":1}\n');
    first.resolve();
    await slow;
    expect(await readFile(at('out'), 'utf8')).to.equal('{"slow":1}\n{"slow":2}\n');
    expect(await readdir(folder)).to.deep.equal(['out']);
  });

  it('leaves a device in its place', async function () {
    if (process.platform === 'win32') this.skip();
    // A link protects the device itself if this test fails.
    await symlink('/dev/null', at('null'));
    await write(at('null'));
    expect((await stat(at('null'))).isCharacterDevice()).to.equal(true);
  });

  it('is neither the source nor another written file', async () => {
    await writeFile(at('source'), '');
    await symlink(at('source'), at('link'));
    const refused = async (files: { report?: string; emit?: string }) =>
      assertDistinctFiles({ source: at('source'), ...files }).then(
        () => undefined,
        (error: Error) => error.message,
      );
    expect(await refused({ report: at('link') })).to.match(/cannot replace the source/);
    expect(await refused({ emit: at('source') })).to.match(/cannot replace the source/);
    expect(await refused({ report: at('new'), emit: at('new') })).to.match(/cannot both be/);
    expect(await refused({ report: at('new'), emit: at('other') })).to.equal(undefined);
    expect(await refused({ report: '/dev/null', emit: '/dev/zero' })).to.equal(undefined);
  });
});
