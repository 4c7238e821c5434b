import { setTimeout as sleep } from 'node:timers/promises';
import { activeBuilders } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, deleteTopic, registryOf } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

/** This limit is long, because it only affects a failing test. The runbook states the usual time. */
const ENDS_WITHIN_MS = 90_000;
const OBSERVE_EVERY_MS = 300;
/** At one record per second, a rebuild reads the second partition half a minute after the first one. */
const LISTINGS = 60;

describe('a topic that is deleted while it is read (kafkajs#1146)', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector | undefined;
  let service: ServiceProcess | undefined;
  let isPaused = false;

  beforeEach(async () => {
    deployment = await createDeployment('deleted', 2);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    isPaused = false;
    proxy.hook = (step) => (isPaused && step === 'write states' ? 'cut' : 'pass');
  });
  afterEach(async () => {
    await projector?.stop();
    await service?.end('SIGKILL');
    projector = undefined;
    service = undefined;
    await proxy.close();
    await deployment.close();
  });

  const start = async () => {
    const env = { ELASTICSEARCH_URL: proxy.url };
    projector = await runProjector(deployment, env, { observeEvery: OBSERVE_EVERY_MS });
  };
  const publish = async () => {
    const market = new MarketEvents();
    await deployment.publish(Array.from({ length: LISTINGS }, (_, i) => market.snapshot(i + 1)));
  };
  const ended = async (pattern: RegExp) => {
    const error = await Promise.race([projector?.failed, sleep(ENDS_WITHIN_MS, undefined, { ref: false })]);
    expect(error?.message, 'why the projector ends').to.match(pattern).and.to.include(deployment.topic);
  };
  const DELETED = /the topic .* was deleted while it was being read/;

  it('ends the process with exit code 1, and the last line of the log names the topic', async () => {
    await publish();
    service = startService('projector', deployment.env);
    await deployment.caughtUp();
    await deleteTopic(deployment);
    const code = await Promise.race([service.exited, sleep(ENDS_WITHIN_MS, 'still running', { ref: false })]);
    expect(code, service.log()).to.equal(1);
    const [fatal] = service
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":"fatal"'));
    expect(fatal, service.log()).to.match(DELETED).and.to.include(deployment.topic);
  });

  it('ends the projector while Elasticsearch is unavailable', async () => {
    await start();
    isPaused = true;
    await publish();
    await eventually('a partition is paused', async () =>
      (await projector?.reasons())?.some((reason) => reason.includes('is paused')),
    );
    await deleteTopic(deployment);
    await ended(DELETED);
  });

  it('ends a rebuild', async () => {
    await publish();
    await start();
    await deployment.caughtUp();
    const replay = cli(deployment, ['replay', '--rate', '1']);
    await eventually(
      'the rebuild has begun',
      async () => (activeBuilders(await registryOf(deployment))[0]?.done ?? 0) > 0,
    );
    await deleteTopic(deployment);
    const { code, output } = await replay;
    expect(code, output).to.equal(1);
    expect(output)
      .to.include(deployment.topic)
      .and.to.match(/was deleted/);
    await ended(DELETED);
  });

  it('a deleted dead-letter topic ends the projector when a record needs it, and the next start creates it', async () => {
    await publish();
    await start();
    await deployment.caughtUp();
    const { admin, deadLetterTopic } = deployment;
    await admin.deleteTopics({ topics: [deadLetterTopic] });
    await eventually('the topic is gone', async () => !(await admin.listTopics()).includes(deadLetterTopic));
    await deployment.publish([{ key: 'invalid', value: '{' }]);
    await ended(/could not write to the dead-letter topic/);
    await projector?.stop();
    await start();
    await deployment.caughtUp();
    expect(await deployment.deadLetters()).to.have.lengthOf(1);
  });
});
