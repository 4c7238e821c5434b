import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

describe('npm run test:cluster without KUBECONFIG', () => {
  it('says that it skipped the tests, and succeeds', () => {
    const { status, stdout } = spawnSync(process.execPath, ['scripts/test-cluster.ts'], {
      encoding: 'utf8',
      env: { ...process.env, KUBECONFIG: '' },
    });
    expect(stdout).to.match(
      /^Skipped the tests in a cluster: KUBECONFIG names none\.\n\n0 passed, 0 failed, 1 skipped\n$/,
    );
    expect(status).to.equal(0);
  });
});
