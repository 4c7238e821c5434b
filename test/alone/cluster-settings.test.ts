import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startQueryService } from '@vitrine/query';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

const run = promisify(execFile);

describe('cluster settings below what Vitrine needs', () => {
  let deployment: Deployment;
  let projector: RunningProjector;

  before(async function () {
    // The settings affect every search of the cluster, so the test needs an Elasticsearch of its own.
    if (!(await engines()).elasticsearch) return this.skip();
    deployment = await createDeployment('cluster', 1);
    projector = await runProjector(deployment);
  });
  after(async () => {
    await projector?.stop();
    await deployment?.close();
  });

  const limited = (name: string, value: unknown) =>
    deployment.client.cluster.putSettings({ persistent: { [name]: value } });
  const runCommandOf = async (message: string) =>
    run('bash', ['-c', `${/curl .*'/.exec(message)?.[0] ?? 'false'} --fail --silent --show-error`], {
      env: { ...process.env, ...deployment.env },
    });

  it('search.max_keep_alive: replay and verify end at once with the setting and a command that works', async () => {
    // Elasticsearch refuses a maximum below the default keep-alive, which is 5m.
    await limited('search.default_keep_alive', '30s');
    await limited('search.max_keep_alive', '1m');
    for (const args of [['replay'], ['verify', '--self']]) {
      const { code, output } = await cli(deployment, args);
      expect(code, args.join(' ')).to.equal(1);
      expect(output)
        .to.include('the cluster setting search.max_keep_alive of Elasticsearch must be at least 5m')
        .and.to.include('_cluster/settings');
    }
    const { output } = await cli(deployment, ['verify', '--self']);
    await runCommandOf(output);
    expect((await cli(deployment, ['verify', '--self'])).code).to.equal(0);
    await limited('search.default_keep_alive', null);
    expect((await cli(deployment, ['replay'])).json).to.deep.include({ generation: 2 });
  });

  for (const [name, value] of [
    ['search.allow_expensive_queries', false],
    ['search.max_buckets', 1_000],
  ] as const)
    it(`${name}: a query service that starts is unready with the setting, and ready after the command`, async () => {
      await limited(name, value);
      const query = await startQueryService(
        { ...deployment.env, LOG_LEVEL: 'silent', RATE_LIMIT: 'off' },
        createLog('query', 'silent'),
      );
      const reason = async () => {
        const answer = await fetch(`http://127.0.0.1:${query.adminPort}/health/ready`);
        return ((await answer.json()) as { reasons: string[] }).reasons[0] ?? '';
      };
      try {
        await eventually('the reason names the setting', async () => (await reason()).includes(name));
        await runCommandOf(await reason());
        await eventually('ready', async () => (await reason()) === '');
      } finally {
        await limited(name, null);
        await query.stop();
      }
    });
});
