import type { EventRecord } from '@vitrine/fixtures';
import { hasRentals, readRentals } from '../support/rentals.ts';
import { describeCommandLine } from './checks/command-line.ts';
import { describeConfinement } from './checks/confinement.ts';
import { describeCrashes } from './checks/crashes.ts';
import { describeDemo } from './checks/demo.ts';
import { describeMainPath, expectFeed } from './checks/main-path.ts';
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

  it('turns the real rentals into exactly the expected feed', async function () {
    if (!hasRentals) this.skip();
    const expected = readRentals<{ item: Record<string, unknown> }>('expected');
    await expectFeed(
      system(),
      readRentals<EventRecord>('events'),
      expected.map(({ item }) => item),
    );
  });

  // The checks share one system, because its start takes a long time. The rentals check needs an empty
  // system.
  describeMainPath(system);
  describeConfinement(system);
  describeCommandLine(system);
  describeStops(system);
  describeDemo(system);
  describeCrashes(system);
});
