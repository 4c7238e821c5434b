import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

/** Makes a commit, as the tests of git repositories do, and then prints the environment. */
const PROGRAM = `
  const { execFileSync } = require('node:child_process');
  const git = (...args) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    stdio: 'ignore',
    // This variable makes git behave as if another user owned the folder.
    env: { ...process.env, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' },
  });
  git('init');
  git('commit', '--allow-empty', '-m', 'a');
  console.log(JSON.stringify(process.env));
`;

describe('the environment of the tests', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'vitrine-environment-'));
    writeFileSync(join(home, '.gitconfig'), '[commit]\n  gpgsign = true\n[gpg]\n  program = false\n');
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const environmentWith = (settings: Record<string, string>): NodeJS.ProcessEnv => {
    const args = ['--import', join(import.meta.dirname, 'environment.ts'), '-e', PROGRAM];
    const { PATH } = process.env;
    const env = { PATH, HOME: home, ...settings };
    return JSON.parse(execFileSync(process.execPath, args, { cwd: home, env, encoding: 'utf8' }));
  };

  it('ignores outside settings for telemetry, git, the terminal, psql and the shell, and git works in it', () => {
    const removed = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      GIT_DIR: '/another/repository/.git',
      COLUMNS: '60',
      FORCE_COLOR: '1',
      NO_COLOR: '1',
    };
    const env = environmentWith({ ...removed, PSQLRC: '/home/a/.psqlrc', SHELL: '/bin/false' });
    expect(env).to.not.have.any.keys(...Object.keys(removed));
    expect(env).to.include({ PSQLRC: '/dev/null', SHELL: '/bin/sh', HOME: home });
  });

  it('keeps a proxy, except for loopback', () => {
    const http_proxy = 'http://proxy.example:3128';
    const loopback = 'localhost,127.0.0.1,::1';
    expect(environmentWith({ http_proxy })).to.include({
      http_proxy,
      no_proxy: loopback,
      NO_PROXY: loopback,
    });
    expect(environmentWith({ no_proxy: 'a.example' })).to.include({ no_proxy: `a.example,${loopback}` });
    expect(environmentWith({ NO_PROXY: '*' })).to.include({ no_proxy: '*', NO_PROXY: '*' });
  });
});
