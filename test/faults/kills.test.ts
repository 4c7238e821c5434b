import { workload } from '@vitrine/fixtures';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, type Step, startFaultProxy } from '../support/fault-proxy.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

/** The steps of a batch at which the process dies: before or after a request to Elasticsearch. */
const STEPS: [what: string, step: Step, moment: 'before' | 'after'][] = [
  ['before the states are written', 'write states', 'before'],
  ['after the states are written, before the response', 'write states', 'after'],
  ['between states and items', 'write items', 'before'],
  ['after the items are written, before the commit', 'write items', 'after'],
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

  it(`leaves an index that equals the fold of the log, after ${KILLS} kills`, async () => {
    const records = workload({ seed: 1, listings: 400, events: 12_000 });
    const share = Math.ceil(records.length / KILLS);
    for (let kill = 0; kill < KILLS; kill++) {
      await deployment.publish(records.slice(kill * share, (kill + 1) * share));
      const [, step, moment] = STEPS[kill % STEPS.length] as (typeof STEPS)[number];
      // Some kills hit the first batch after a start, others a later batch.
      let skip = kill % 3;
      const died = new Promise<void>((resolve) => {
        proxy.hook = (at, when) => {
          if (at !== step || when !== moment || skip-- > 0) return 'pass';
          proxy.hook = () => 'cut';
          void projector?.end('SIGKILL').then(() => resolve());
          return 'cut';
        };
      });
      projector = startService('projector', { ...deployment.env, ELASTICSEARCH_URL: proxy.url });
      await died;
      await deployment.removeMembers();
    }
    proxy.hook = () => 'pass';
    projector = startService('projector', { ...deployment.env, ELASTICSEARCH_URL: proxy.url });
    await deployment.caughtUp();
    await expectFold(deployment, records);
  });
});
