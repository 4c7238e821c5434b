import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { EventRecord } from '@vitrine/fixtures';
import { describeCommandLine } from './checks/command-line.ts';
import { describeConfinement } from './checks/confinement.ts';
import { describeCrashes } from './checks/crashes.ts';
import { describeDemo } from './checks/demo.ts';
import { describeMainPath, expectFeed } from './checks/main-path.ts';
import { describeStops } from './checks/stops.ts';
import { System } from './support/system.ts';

const RENTALS = join(import.meta.dirname, '../../../shared/data/rentals');
const read = <T>(file: string): T[] =>
  gunzipSync(readFileSync(join(RENTALS, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

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
    if (!existsSync(RENTALS)) this.skip();
    const expected = read<{ item: Record<string, unknown> }>('expected.ndjson.gz');
    await expectFeed(
      system(),
      read<EventRecord>('events.ndjson.gz'),
      expected.map(({ item }) => item),
    );
  });

  // The checks share one system, because its start takes a long time. The check of the rentals needs it
  // empty.
  describeMainPath(system);
  describeConfinement(system);
  describeCommandLine(system);
  describeStops(system);
  describeDemo(system);
  describeCrashes(system);
});
