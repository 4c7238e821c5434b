import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEBEZIUM_FILES } from '../database/debezium.ts';
import { KIT } from '../marketplace/marketplace.ts';
import { loadEverything } from '../marketplace/outbox.ts';
import { relayCommand, startRelay } from '../marketplace/relay-program.ts';
import { eventually } from '../service-process.ts';
import { processPart, type StartWay } from './way.ts';

const DRAINED_WITHIN_MS = 240_000;
/** The comment in the outbox of docs/start/producers after which everything depends on the tables. */
const END_OF_FIXED_PART = '-- From here, change everything to fit your tables.';

/** An outbox with ids, and a relay (docs/start/producers.md). */
export const outboxRelay: StartWay = async (database, deployment) => {
  await database.pool.query(outboxOfSimpleDatabase());
  const command = await relayCommand('relay.ts');
  if (typeof command === 'string') throw new Error(command);
  const relay = processPart('relay', () => startRelay('relay.ts', command, database, deployment));
  return {
    parts: [relay],
    load: () => loadEverything(database.pool),
    caughtUp: async () => {
      await eventually(
        'the outbox is empty',
        async () => (await database.pool.query('SELECT FROM outbox LIMIT 1')).rowCount === 0,
        DRAINED_WITHIN_MS,
      );
    },
    stop: relay.stop,
  };
};

/** The fixed part of the published outbox, with the view of the simple database and its triggers. */
function outboxOfSimpleDatabase(): string {
  const [fixed] = readFileSync(join(KIT, 'outbox.sql'), 'utf8').split(END_OF_FIXED_PART);
  const view = /^CREATE VIEW published_listings [^;]+;/m.exec(
    readFileSync(new URL('outbox.sql', DEBEZIUM_FILES), 'utf8'),
  )?.[0];
  const triggers = [
    ['listings', 'id'],
    ['calendar', 'listing_id'],
  ].map(
    ([table, id]) => `CREATE TRIGGER put_into_outbox AFTER INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION put_into_outbox('${id}');`,
  );
  return [fixed, view, ...triggers, 'COMMIT;'].join('\n');
}
