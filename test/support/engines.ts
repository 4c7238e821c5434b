import './environment.ts';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type Engines, type EngineUser, startEngines } from '@vitrine/engines';
import {
  type AccessRule,
  createKafka,
  type KafkaAdmin,
  type KafkaProducer,
  kafkaConnection,
} from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { INTERRUPTED_EXIT_CODE, onParentGone, ProcessSupervisor } from '@vitrine/runtime/processes';

let started: Promise<Engines> | undefined;

/**
 * The Kafka and Elasticsearch of this test run. The first call starts them, and the end of the run stops
 * them.
 */
export function engines(): Promise<Engines> {
  started ??= startEngines({ onProgress: (message) => process.stderr.write(`# ${message}\n`) });
  return started;
}

export const mochaHooks = {
  /** Adds the cause to an error's stack, because mocha's worker processes send only the text. */
  afterEach(this: Mocha.Context): void {
    const { err } = this.currentTest ?? {};
    if (err?.cause !== undefined) err.stack += `\ncaused by ${inspect(err.cause)}`;
  },
  async afterAll(): Promise<void> {
    await (await started)?.stop();
  },
};

// `npm test` sends SIGTERM when it is interrupted, and waits until this process has ended its services and
// engines. Mocha itself handles SIGINT.
const end = () => void ProcessSupervisor.endAll().finally(() => process.exit(INTERRUPTED_EXIT_CODE));
for (const name of ['SIGTERM', 'SIGHUP'] as const) process.once(name, end);
onParentGone(end);

/** The test's passwords, by user. No log or output may contain a password. */
export const PASSWORDS = {
  administrator: 'only-for-the-test-0',
  'vitrine-query': 'secret-of-the-query-service',
  'vitrine-projector': 'secret-of-the-projector',
  'vitrine-cli': 'secret-of-the-command-line',
  'vitrine-ingest': 'secret-of-the-ingest',
} as const;
export type SecureUser = keyof typeof PASSWORDS;

/** A separate Kafka and Elasticsearch with security, and with the roles and ACLs of infra/. */
export interface SecureEngines {
  engines: Engines;
  /**
   * The environment with which a service connects as this user. Files contain the secrets. `password`
   * replaces the correct password.
   */
  as(user: SecureUser, password?: string): Promise<Record<string, string>>;
  /** The administrator's connected Kafka clients. */
  admin: KafkaAdmin;
  producer: KafkaProducer;
  stop(): Promise<void>;
}

const INFRA = join(import.meta.dirname, '../../infra');
const read = (path: string): unknown => JSON.parse(readFileSync(join(INFRA, path), 'utf8'));
const role = (name: string) => read(`elasticsearch/roles/${name}.json`) as object;

/** The users of secure engines, with the roles of infra/. */
export const secureUsers = (): Record<SecureUser, EngineUser> => ({
  administrator: { password: PASSWORDS.administrator, role: 'superuser' },
  'vitrine-query': { password: PASSWORDS['vitrine-query'], role: role('query') },
  'vitrine-projector': { password: PASSWORDS['vitrine-projector'], role: role('projector') },
  'vitrine-cli': { password: PASSWORDS['vitrine-cli'], role: role('projector') },
  'vitrine-ingest': { password: PASSWORDS['vitrine-ingest'], role: { cluster: [] } },
});
/** The ACLs of infra/. */
export const accessRules = (): AccessRule[] => read('kafka/acls.json') as AccessRule[];

/**
 * Starts secure engines for this test only, even if the environment names other engines.
 * @throws NoEnginesError if there is no Java
 */
export async function startSecureEngines(): Promise<SecureEngines> {
  const engines = await startEngines({
    env: { ...process.env, KAFKA_BROKERS: '', ELASTICSEARCH_URL: '', VITRINE_ENGINES: 'java' },
    elasticsearchHeap: '512m',
    users: secureUsers(),
    onProgress: (message) => process.stderr.write(`# engines with security: ${message}\n`),
  });
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-secrets-'));
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), `${text}\n`, { mode: 0o600 });
    return join(folder, name);
  };
  const ca = await file('ca.pem', engines.ca ?? '');
  const as = async (user: SecureUser, password: string = PASSWORDS[user]) => {
    const secret = await file(`${user}-${password === PASSWORDS[user] ? 'right' : 'wrong'}`, password);
    return {
      ...engines.settings,
      ELASTICSEARCH_TLS_CA_FILE: ca,
      ELASTICSEARCH_USERNAME: user,
      ELASTICSEARCH_PASSWORD_FILE: secret,
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA_FILE: ca,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD_FILE: secret,
    };
  };
  const kafka = createKafka(
    kafkaConnection({
      ...engines.settings,
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA: engines.ca ?? '',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'administrator',
      KAFKA_SASL_PASSWORD: PASSWORDS.administrator,
    }),
    createLog('test', 'silent'),
  );
  const admin = kafka.admin();
  const producer = kafka.producer();
  await Promise.all([admin.connect(), producer.connect()]);
  await admin.allow(accessRules());
  return {
    engines,
    as,
    admin,
    producer,
    stop: async () => {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      await engines.stop();
      await rm(folder, { recursive: true });
    },
  };
}
