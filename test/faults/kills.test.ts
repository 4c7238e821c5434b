import { workload } from '@vitrine/fixtures';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, type Step, startFaultProxy } from '../support/fault-proxy.ts';
import { type ServiceProcess, spawnService } from '../support/service-process.ts';

/** Each step of a batch at which a process can die, as the moment of a request. */
const STEPS: [what: string, step: Step, moment: 'before' | 'after'][] = [
  ['before the states are written', 'write states', 'before'],
  ['when the states are written, before it knows', 'write states', 'after'],
  ['between states and items', 'write items', 'before'],
  ['when the items are written, before the commit', 'write items', 'after'],
];
const KILLS = Number(process.env.VITRINE_KILLS ?? (process.env.VITRINE_FULL ? 24 : 8));

describe('kill -9 at each step of a batch', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: ServiceProcess | undefined;

  before(async () => {
    deployment = await createDeployment('kills');
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  });
  after(async () => {
    await projector?.end('SIGKILL');
    await proxy.close();
    await deployment.close();
  });

  it(`${KILLS} times in one run: the index still equals the fold of the log`, async () => {
    const records = workload({ seed: 1, listings: 400, events: 12_000 });
    const share = Math.ceil(records.length / KILLS);
    for (let kill = 0; kill < KILLS; kill++) {
      await deployment.publish(records.slice(kill * share, (kill + 1) * share));
      const [, step, moment] = STEPS[kill % STEPS.length] as (typeof STEPS)[number];
      // Some kills meet the first batch after a start, some a later one.
      let skip = kill % 3;
      const died = new Promise<void>((resolve) => {
        proxy.hook = (at, when) => {
          if (at !== step || when !== moment || skip-- > 0) return 'pass';
          proxy.hook = () => 'cut';
          void projector?.end('SIGKILL').then(() => resolve());
          return 'cut';
        };
      });
      projector = spawnService('projector', { ...deployment.env, ELASTICSEARCH_URL: proxy.url });
      await died;
    }
    proxy.hook = () => 'pass';
    projector = spawnService('projector', { ...deployment.env, ELASTICSEARCH_URL: proxy.url });
    await deployment.caughtUp();
    await expectFold(deployment, records);
  });
});
