import { expect } from 'chai';
import { runChaos } from '../support/ways-in/chaos.ts';
import { debeziumOutbox } from '../support/ways-in/debezium-outbox.ts';
import { debeziumRows } from '../support/ways-in/debezium-rows.ts';
import { outboxRelay } from '../support/ways-in/outbox-relay.ts';
import type { StartWay } from '../support/ways-in/way.ts';

const WAYS: Record<string, StartWay> = {
  'an outbox and a relay': outboxRelay,
  "Debezium's outbox": debeziumOutbox,
  "Debezium's rows and the ingest": debeziumRows,
};
const { WAYS_IN_SEED, WAYS_IN_RUNS, VITRINE_FULL } = process.env;
const FIRST_SEED = Number(WAYS_IN_SEED ?? Math.floor(Math.random() * 1_000_000));
const RUNS = Number(WAYS_IN_RUNS ?? (VITRINE_FULL ? 10 : 1));
const LISTINGS = 300;
const KILLS = VITRINE_FULL ? 10 : 6;

describe('kill -9 of everything between a database and the feed', () => {
  for (const [name, way] of Object.entries(WAYS))
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++)
      it(`${name}: the feed equals the database (WAYS_IN_SEED=${seed})`, async function () {
        const result = await runChaos('ways-in', way, { seed, listings: LISTINGS, kills: KILLS });
        if (typeof result === 'string') {
          process.stderr.write(`# skipped: ${result}\n`);
          return this.skip();
        }
        const { story, committed, items, disagreements } = result;
        const summary = `${committed} transactions, ${items} items, killed ${story.join(', ')}`;
        process.stderr.write(`# ${name}, seed ${seed}: ${summary}, ${disagreements.length} disagreements\n`);
        expect(disagreements, summary).to.deep.equal([]);
        expect(committed).to.be.greaterThan(KILLS);
      });
});
