import { MarketEvents } from '@vitrine/fixtures';
import { RULES } from '@vitrine/listing';
import { expect } from 'chai';
import {
  ageBuilders,
  buildersOf,
  createDeployment,
  type Deployment,
  registryOf,
} from '../support/deployment.ts';
import { modelOf } from '../support/expected-contents.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, startService } from '../support/service-process.ts';

const LISTINGS = 5_000;

describe('replay with several workers', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  const market = new MarketEvents();

  before(async () => {
    deployment = await createDeployment('workers', 4);
    projector = await runProjector(deployment);
    await deployment.publish(Array.from({ length: LISTINGS }, (_, i) => market.snapshot(i)));
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await deployment.close();
  });

  it('builds with that number of processes, reports a killed one, and leaves none after an interruption', async () => {
    const args = ['replay', '--from', 'states', '--workers', '3', '--rate', '50'];
    const replay = startService('cli', deployment.env, args);
    try {
      await eventually('three builders', async () => (await buildersOf(deployment)).length === 3);
      const pids = (await buildersOf(deployment)).map(({ pid }) => pid);
      expect(pids).to.include(replay.child.pid);
      expect(new Set(pids).size).to.equal(3);
      const killed = pids.find((pid) => pid !== replay.child.pid) as number;
      process.kill(killed, 'SIGKILL');
      const report = `worker ${killed} ended with SIGKILL; the others continue its work. To add a builder, run`;
      await eventually('the report', async () => replay.log().includes(`${report} replay join 2`), 120_000);
      expect(await replay.end('SIGINT'), replay.log()).to.equal(130);
      for (const pid of pids) expect(() => process.kill(pid, 0), `process ${pid}`).to.throw('ESRCH');
      // Each of the other builders stored its position and left. They may have marked the killed one as lost.
      expect((await registryOf(deployment)).builders?.map(({ pid }) => pid)).to.deep.equal([killed]);
    } finally {
      await replay.end('SIGKILL');
    }
  });

  it('resumes with several workers, whose result equals the model', async () => {
    await deployment.removeMembers(2);
    await ageBuilders(deployment);
    // A high rate replaces the low one of the interrupted replay.
    const args = ['replay', 'resume', '--workers', '2', '--rate', '100000'];
    const replay = startService('cli', deployment.env, args);
    expect(await replay.exited, replay.log()).to.equal(0);
    const verified = await cli(deployment, ['verify', '2']);
    expect(verified.code, verified.output).to.equal(0);
    expect(await deployment.items(2)).to.deep.equal(modelOf(market.sent).items);
    const { generations, builders } = await registryOf(deployment);
    expect(builders).to.equal(undefined);
    expect(generations.at(-1)).not.to.have.property('scan');
  });

  it('accepts a builder that joins too late, and refuses one for an unknown or another generation', async () => {
    const late = await cli(deployment, ['replay', 'join', '2']);
    expect(late.code, late.output).to.equal(0);
    expect(late.json).to.deep.equal({ generation: 2 });
    const unknown = await cli(deployment, ['replay', 'join', '9']);
    expect(unknown.code).to.equal(3);
    expect(unknown.output).to.include('generation 9 does not exist');
  });

  it('refuses a builder with other rules', async () => {
    const interrupt = new AbortController();
    const slow = cli(deployment, ['replay', '--rate', '200'], { signal: interrupt.signal });
    await eventually('generation 3 has a builder', async () => (await buildersOf(deployment)).length === 1);
    const rules = { ...RULES, version: RULES.version + 1 };
    const refused = await cli(deployment, ['replay', 'join', '3'], { rules });
    expect(refused.code).to.equal(3);
    expect(refused.output).to.include('generation 3 was started with').and.to.include('but this code has');
    interrupt.abort();
    await slow;
    expect((await cli(deployment, ['replay', 'cancel'])).code).to.equal(0);
  });
});
