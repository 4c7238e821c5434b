import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

describe('npm run test:containers on a machine that cannot run the containers', function () {
  this.timeout(60_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'vitrine containers-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Runs the command with only this shell script as `docker`. */
  const runWith = (docker: string | undefined) => {
    const program = join(folder, 'docker');
    rmSync(program, { force: true });
    if (docker !== undefined) {
      writeFileSync(program, `#!/bin/sh\n${docker}\n`);
      chmodSync(program, 0o755);
    }
    const env = { PATH: `${folder}:/nowhere`, HOME: folder };
    const { status, stdout } = spawnSync(process.execPath, ['scripts/test-containers.ts'], {
      env,
      encoding: 'utf8',
    });
    return { status, lines: stdout.trimEnd().split('\n') };
  };

  for (const [machine, docker, reason] of [
    ['no docker', undefined, 'the program docker is not installed'],
    ['no engine', 'exit 1', 'no Docker engine responds'],
    [
      'no Compose',
      'case "$1" in version) echo 28.0;; *) exit 1;; esac',
      'neither `docker compose` nor `docker-compose` exists',
    ],
    [
      'an image that cannot be pulled',
      'case "$1" in version|compose) echo 28.0;; pull) echo "no route to host" >&2; exit 1;; *) exit 1;; esac',
      'Docker cannot provide node:24-bookworm-slim (no route to host)',
    ],
  ] as const)
    it(`skips everything with one reason: ${machine}`, () => {
      const { status, lines } = runWith(docker);
      expect(lines.filter((line) => line.startsWith('Skipped'))).to.deep.equal([
        `Skipped the tests with containers: ${reason}.`,
      ]);
      expect(lines.at(-1)).to.match(/^0 passed, 0 failed, [1-9]\d* skipped$/);
      expect(status).to.equal(0);
    });
});
