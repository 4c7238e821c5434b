import { describeCommandLine } from './checks/command-line.ts';
import { describeConfinement } from './checks/confinement.ts';
import { describeCrashes } from './checks/crashes.ts';
import { describeDemo } from './checks/demo.ts';
import { describeMainPath } from './checks/main-path.ts';
import { describeStops } from './checks/stops.ts';
import { System } from './support/system.ts';

/** `npm run test:containers` builds the images first. */
describe('the system that compose.yaml describes', () => {
  let started: System;
  const system = () => started;

  before(async () => {
    started = await System.create();
    await started.up();
  });
  after(() => started?.remove());

  // The checks share one system, because its start takes long. The first checks need the empty system.
  describeMainPath(system);
  describeConfinement(system);
  describeCommandLine(system);
  describeStops(system);
  describeDemo(system);
  describeCrashes(system);
});
