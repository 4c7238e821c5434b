import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { lockFile } from './file-lock.ts';

describe('the lock of a file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'file-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('belongs to one process at a time, and replaces the lock of a process that was killed', async () => {
    const path = join(folder, 'a.lock');
    for (const left of ['{"pid"', JSON.stringify({ pid: process.pid, startTime: 'long ago' })]) {
      await writeFile(path, left);
      await utimes(path, 0, 0);
      const unlock = await lockFile(path, 'an export to a');
      const second = await lockFile(path, 'an export to a').catch((error: Error) => error.message);
      expect(second).to.contain(`an export to a is in progress in process ${process.pid}`);
      await unlock();
      expect(await readdir(folder)).to.deep.equal([]);
    }
  });

  it('is held while its process has not written its identity yet', async () => {
    const path = join(folder, 'a.lock');
    await writeFile(path, '');
    const refused = await lockFile(path, 'an export to a').catch((error: Error) => error.message);
    expect(refused).to.contain('an export to a is in progress. Wait');
  });
});
