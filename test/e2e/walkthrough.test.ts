import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { missing, runStep, type Step, stepsOf, untilPrinted } from '../support/documented-steps.ts';
import { addressesOf, eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const PAGE = 'docs/start/publish-an-event.md';
const TOPIC = 'marketplace.listing-events';

describe(`walkthrough: ${PAGE}`, () => {
  const steps = stepsOf(PAGE);
  const services: ServiceProcess[] = [];
  let deployment: Deployment;
  let origin: string;

  const run = async (step: Step): Promise<string> =>
    (await runStep(step, origin, deployment.env)).replaceAll(deployment.topic, TOPIC);

  before(async () => {
    deployment = await createDeployment('walkthrough');
    services.push(startService('projector', deployment.env));
    const query = startService('query', { ...deployment.env, LOG_LEVEL: 'info' });
    services.push(query);
    ({ origin } = await addressesOf(query));
    await eventually(
      'the feed is available',
      async () => (await fetch(`${origin}/api/public-feed`)).status === 200,
    );
  });
  after(async () => {
    for (const service of services) await service.end('SIGTERM');
    await deployment.close();
  });

  it("publishes three events and shows each command's output", () => {
    expect(steps.filter(({ command }) => command.includes('publish-event'))).to.have.length(3);
    for (const { command, output } of steps) expect(output, command).to.not.be.empty;
  });

  for (const [index, step] of steps.entries()) {
    const [firstLine = ''] = step.command.split('\n');
    it(`shows what command ${index + 1} prints: ${firstLine}`, async () => {
      // Publish only once. The other commands show the effect of an event that may still be in flight.
      if (step.command.includes('publish-event'))
        return expect(missing(step.output, await run(step))).to.equal(undefined);
      await untilPrinted(step, () => run(step));
    });
  }
});
