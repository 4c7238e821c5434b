import { startConnect } from '@vitrine/engines/sources';
import { DEBEZIUM_FILES, outboxConnector, untilDebeziumCaughtUp } from '../database/debezium.ts';
import type { StartWay } from './way.ts';

/** An outbox with complete events, which Debezium reads (docs/start/debezium.md). */
export const debeziumOutbox: StartWay = async (database, deployment) => {
  await database.run(new URL('outbox.sql', DEBEZIUM_FILES));
  const connect = await startConnect({ brokers: deployment.env.KAFKA_BROKERS });
  const { name, config } = outboxConnector(database, deployment);
  await connect.putConnector(name, config);
  return {
    parts: [{ name: 'Connect', kill: connect.kill, start: connect.start }],
    load: async () => void (await database.pool.query('CALL publish_all_listings(50)')),
    caughtUp: () => untilDebeziumCaughtUp(database, 'vitrine_outbox'),
    stop: connect.stop,
  };
};
