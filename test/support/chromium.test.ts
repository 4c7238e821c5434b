import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ChromiumMissingError, findChromium } from './chromium.ts';

describe('the search for Chromium', () => {
  let folder: string;
  const program = async (name: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, '');
    await chmod(path, 0o755);
    return path;
  };
  const failure = (env: NodeJS.ProcessEnv): Promise<unknown> =>
    findChromium(env).catch((error: unknown) => error);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-chromium-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('prefers CHROMIUM_PATH to the PATH', async () => {
    const usual = await program('chromium');
    const other = await program('other');
    expect(await findChromium({ PATH: folder })).to.equal(usual);
    expect(await findChromium({ PATH: folder, CHROMIUM_PATH: other })).to.equal(other);
  });

  it('prefers the headless shell to the whole browser, even in a later folder of the PATH', async () => {
    await program('chromium');
    const later = await mkdtemp(join(tmpdir(), 'vitrine-chromium-'));
    try {
      const shell = join(later, 'chromium-headless-shell');
      await writeFile(shell, '', { mode: 0o755 });
      expect(await findChromium({ PATH: `${folder}:${later}` })).to.equal(shell);
    } finally {
      await rm(later, { recursive: true });
    }
  });

  it('does not mistake a folder or a plain file for the program', async () => {
    await mkdir(join(folder, 'chromium'));
    await writeFile(join(folder, 'chromium-browser'), '');
    const chrome = await program('google-chrome');
    const later = join(folder, 'later');
    await mkdir(later);
    await writeFile(join(later, 'chromium'), '', { mode: 0o755 });
    expect(await findChromium({ PATH: `/does-not-exist:${folder}:${later}` })).to.equal(chrome);
  });

  it('says where it looked, and does not replace a wrong CHROMIUM_PATH', async () => {
    await program('chromium');
    const error = await failure({ PATH: folder, CHROMIUM_PATH: folder });
    expect(error).to.be.instanceOf(ChromiumMissingError);
    expect(String(error)).to.include(`CHROMIUM_PATH names no program: ${folder}`);
  });
});
