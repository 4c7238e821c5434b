import type { Client } from '@elastic/elasticsearch';
import { errors } from '@elastic/elasticsearch';
import { NoEnginesError } from '@vitrine/engines';
import { freePorts } from '@vitrine/engines/testing';
import { generationNames, itemsAlias, registryIndex, statesAlias } from '@vitrine/feed-index';
import { RECORDS, TODAY } from '@vitrine/fixtures';
import { createKafka, kafkaConnection } from '@vitrine/kafka';
import { runCli } from '@vitrine/operator';
import { readChangesHistory, readLiveChanges } from '@vitrine/projection/generations';
import { checkProjectorSettings, projectorSettings } from '@vitrine/projection/settings';
import { readCheckpoint } from '@vitrine/projection/store';
import { startProjector } from '@vitrine/projector';
import { startQueryService } from '@vitrine/query';
import { createElasticsearch, elasticsearchConnection } from '@vitrine/runtime/elasticsearch';
import { readSettings } from '@vitrine/runtime/settings';
import { expect } from 'chai';
import { pino } from 'pino';
import { PASSWORDS, type SecureEngines, type SecureUser, startSecureEngines } from '../support/engines.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { PATIENT } from '../support/query-service.ts';
import { addressesOf, eventually, type ServiceProcess, startService } from '../support/service-process.ts';

/** The default names of topics, groups and indices. The files in infra/ grant rights to these names. */
const PREFIX = 'marketplace-feed';
const TOPIC = 'marketplace.listing-events';
const OWN = generationNames(PREFIX, 1);
const WRONG = 'a-password-that-is-wrong';

/** Settings for logs at every level, so that the tests can search all log lines for secrets. */
const LOUD = { LOG_LEVEL: 'trace', PORT: '0', ADMIN_PORT: '0', RATE_LIMIT: 'off', FEED_TODAY: TODAY };
const API_KEY = Buffer.from('unknown-id:secret-of-the-key').toString('base64');

/** A logger that keeps its lines for the test. */
function keptLog() {
  let text = '';
  const log = pino({ level: 'trace' }, { write: (line) => (text += line) });
  return { log, lines: () => text };
}

const expectNoSecret = (text: string) => {
  for (const secret of [...Object.values(PASSWORDS), WRONG, API_KEY]) {
    expect(text).to.not.include(secret);
    for (const user of Object.keys(PASSWORDS))
      expect(text).to.not.include(Buffer.from(`${user}:${secret}`).toString('base64'));
  }
};

describe('security of the connections', () => {
  let secure: SecureEngines;
  let projector: ServiceProcess;
  let query: ServiceProcess;
  let origin: string;
  const clients: Client[] = [];
  /** An Elasticsearch client with this user's credentials. */
  const asUser = async (user: SecureUser): Promise<Client> => {
    const settings = readSettings(projectorSettings, await secure.as(user), checkProjectorSettings);
    const client = createElasticsearch({
      ...elasticsearchConnection(settings),
      requestTimeout: 30_000,
      maxRetries: 0,
    });
    clients.push(client);
    return client;
  };
  const spawn = (service: 'projector' | 'query', env: Record<string, string>) =>
    startService(service, { ...LOUD, ...env });
  const readiness = async (adminPort: number) => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/health/ready`);
    return { status: response.status, text: await response.text() };
  };
  const total = async (at: string): Promise<number> => {
    const response = await fetchAccepted(`${at}/api/ai-feed`);
    return response.ok ? ((await response.json()) as { meta: { total: number } }).meta.total : -1;
  };

  before(async function () {
    const started = await startSecureEngines().catch((error: unknown) => {
      if (!(error instanceof NoEnginesError)) throw error;
      process.stderr.write(`# skipped: these tests need engines that run as JVMs: ${error.message}\n`);
    });
    if (!started) return this.skip();
    secure = started;
    await secure.admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 2, replicationFactor: 1 }] });
    projector = spawn('projector', await secure.as('vitrine-projector'));
    query = spawn('query', await secure.as('vitrine-query'));
    await secure.producer.send({ topic: TOPIC, messages: RECORDS });
    ({ origin } = await addressesOf(query));
  });
  after(async () => {
    await Promise.all([projector?.end(), query?.end()]);
    await Promise.all(clients.map((client) => client.close()));
    await secure?.stop();
  });

  it('a listing reaches the feed over TLS and SASL, with the roles and ACLs of infra/ and secrets from files', async () => {
    await eventually('in the feed', async () => (await total(origin)) > 0, 150_000).catch((error: unknown) =>
      expect.fail(`${error}\n${projector.log()}\n${query.log()}`),
    );
    // An unreadable record becomes a dead letter, in a topic that the projector created.
    await eventually('dead letters', async () => {
      const offsets = await secure.admin.fetchTopicOffsets(`${TOPIC}.dead-letters`).catch(() => []);
      return offsets.some(({ high }) => Number(high) > 0);
    });
  });

  it("the query service's role allows deep pages, which need points in time", async () => {
    const env = { ...LOUD, ...(await secure.as('vitrine-query')) };
    // With a window of 103, every page after the second item uses the rank index.
    const service = await startQueryService(env, keptLog().log, { ...PATIENT, resultWindow: 103 });
    try {
      const at = `http://127.0.0.1:${service.port}`;
      const last = await eventually('a total', async () => {
        const found = await total(at);
        return found > 0 && found;
      });
      const response = await fetchAccepted(`${at}/api/ai-feed?page=${last}&pageSize=1`);
      expect(response.status, await response.clone().text()).to.equal(200);
      expect(((await response.json()) as { data: unknown[] }).data).to.have.length(1);
    } finally {
      await service.stop();
    }
  });

  it("the query service's role allows the agents' tools and the UCP catalog", async () => {
    const mcp = await connectMcp(`${origin}/mcp`);
    try {
      for (const [name, args] of [
        ['search_listings', { max_price: 1e9 }],
        ['list_facets', { facet: 'city' }],
        ['list_changes', {}],
      ] as const) {
        const { isError, text } = await mcp.call(name, args);
        expect(isError, `${name}: ${text}`).to.equal(false);
      }
    } finally {
      await mcp.close();
    }
    const response = await fetchAccepted(`${origin}/ucp/catalog/search`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: 'no such words' }),
    });
    expect(response.status, await response.clone().text()).to.equal(200);
    expect(((await response.json()) as { products: unknown[] }).products).to.deep.equal([]);
  });

  it("the query service's credentials cannot write, and can read only items", async () => {
    const client = await asUser('vitrine-query');
    const refused: [string, () => Promise<unknown>][] = [
      ['a write to the alias', () => client.index({ index: itemsAlias(PREFIX), id: 'x', document: {} })],
      ['a write to the index', () => client.index({ index: OWN.items, id: 'x', document: {} })],
      ['a deletion', () => client.delete({ index: OWN.items, id: 'studio' })],
      [
        'a deletion in a bulk request',
        () => client.bulk({ operations: [{ delete: { _index: OWN.items, _id: 'studio' } }] }),
      ],
      ['the deletion of the index', () => client.indices.delete({ index: OWN.items })],
      ['states', () => client.search({ index: statesAlias(PREFIX) })],
      ['a state from the index', () => client.get({ index: OWN.states, id: 'studio' })],
      ['the registry', () => client.get({ index: registryIndex(PREFIX), id: 'registry' })],
      ['a write to the changes', () => client.index({ index: OWN.changes, id: 'x', document: {} })],
      ['the deletion of the changes', () => client.indices.delete({ index: OWN.changes })],
      [
        'a setting of the changes',
        () => client.indices.putSettings({ index: OWN.changes, settings: { refresh_interval: '5s' } }),
      ],
      ['the items of another deployment', () => client.search({ index: 'others-items' })],
    ];
    for (const [what, request] of refused) await expectForbidden(what, request);
    expect((await client.search({ index: itemsAlias(PREFIX) })).hits.hits).to.not.have.length(0);
  });

  it("the query service's credentials allow all requests that pages of changes and exports need", async () => {
    const client = await asUser('vitrine-query');
    expect(await readLiveChanges(client, PREFIX)).to.deep.equal({ epoch: 1, generation: 1 });
    expect(await readChangesHistory(client, PREFIX)).to.deep.equal({ transitions: [], kept: [] });
    expect((await readCheckpoint(client, OWN.changes)).checkpoint).to.be.greaterThan(-1);
    await client.indices.refresh({ index: OWN.changes });
    const { id } = await client.openPointInTime({ index: OWN.changes, keep_alive: '10s' });
    const found = await client.search({ pit: { id }, sort: [{ _seq_no: 'asc' }] });
    expect(found.hits.hits.map(({ _id }) => _id)).to.include('studio');
    await client.closePointInTime({ id });
    const { docs } = await client.mget({ index: OWN.items, ids: ['studio'] });
    expect(docs[0]).to.include({ found: true });
    const { terms } = await client.termsEnum({ index: OWN.items, field: 'id', size: 5 });
    expect(terms).to.include('studio');
  });

  it("the projector's credentials give access only to its own indices", async () => {
    const administrator = await asUser('administrator');
    const others = ['others-items-1', `${PREFIX}-eu-items-1`];
    for (const index of others)
      await administrator
        .index({ index, id: 'x', document: {}, refresh: true })
        .catch(() => administrator.indices.create({ index }));
    const client = await asUser('vitrine-projector');
    for (const index of others) {
      await expectForbidden(`reading ${index}`, () => client.search({ index }));
      await expectForbidden(`writing ${index}`, () => client.index({ index, id: 'x', document: {} }));
      await expectForbidden(`deleting ${index}`, () => client.indices.delete({ index }));
      await expectForbidden(`creating ${index}0`, () => client.indices.create({ index: `${index}0` }));
      await expectForbidden(`an alias of ${index}`, () =>
        client.indices.updateAliases({ actions: [{ add: { index, alias: itemsAlias(PREFIX) } }] }),
      );
    }
    await expectForbidden('settings of the cluster', () =>
      client.cluster.putSettings({ persistent: { 'action.auto_create_index': 'true' } }),
    );
    await expectForbidden('users', () => client.security.getUser());
  });

  it('Kafka forbids the projector to write events, and allows the query service nothing', async () => {
    const write = async (user: SecureUser) => {
      const env = { ...(await secure.as(user)), KAFKA_SASL_MECHANISM: 'scram-sha-256' };
      const settings = readSettings(projectorSettings, env, checkProjectorSettings);
      const producer = createKafka(kafkaConnection(settings), keptLog().log).producer({ retries: 0 });
      await producer.connect();
      const written = producer.send({ topic: TOPIC, messages: [{ value: 'no event' }] });
      return written.then(() => 'written', String).finally(() => producer.disconnect());
    };
    expect(await write('vitrine-projector')).to.match(/not authorized/i);
    // `dead-letters retry` uses this user to publish records again.
    expect(await write('vitrine-cli')).to.equal('written');

    const stranger = readSettings(
      projectorSettings,
      await secure.as('vitrine-query'),
      checkProjectorSettings,
    );
    const admin = createKafka(kafkaConnection(stranger), keptLog().log).admin();
    await admin.connect();
    expect(await admin.listTopics()).to.deep.equal([]);
    await admin.disconnect();
  });

  it('every operator command works with the rights of vitrine-cli over PLAIN, and prints no secret', async () => {
    const env = { ...(await secure.as('vitrine-cli')), KAFKA_SASL_MECHANISM: 'plain' };
    for (const args of [
      ['status'],
      ['topics', 'check'],
      ['topics', 'create'],
      ['explain', 'studio', '--history'],
      ['dead-letters', 'list'],
      ['listings', '--hidden'],
      ['listings', '--dropped'],
      ['listings', '--superseded'],
      ['listings', '--dead-letters'],
      ['verify', '--self'],
      ['replay'],
      ['verify', '2'],
      ['switch', '2'],
      ['prune'],
    ]) {
      const { code, output } = await cli(env, ...args);
      expect(code, `${args.join(' ')}: ${output}`).to.equal(0);
    }
    expect(await total(origin)).to.be.greaterThan(0);
  });

  it('the console shows both engines with the rights of vitrine-cli, and prints no secret', async () => {
    const service = startService('cli', await secure.as('vitrine-cli'), ['console', '--port', '0']);
    try {
      const [, at] = await eventually(
        'the console prints its URL',
        async () => /Console: (http:\S+:\d+)\//.exec(service.log()) ?? undefined,
      );
      const status = await eventually('the console shows the status', async () => {
        const response = await fetch(`${at}/api/status`);
        return response.ok && ((await response.json()) as { generations: unknown[]; deadLetters: object });
      });
      expect(status.generations).to.have.length(1);
      expect(status.deadLetters).to.include({ topic: `${TOPIC}.dead-letters` });
      expectNoSecret(service.log());
    } finally {
      await service.end('SIGINT');
    }
  });

  it('the command line reports a wrong password but does not print it', async () => {
    const search = await cli(
      {
        ...(await secure.as('vitrine-cli')),
        ...only(await secure.as('vitrine-cli', WRONG), 'ELASTICSEARCH'),
      },
      'status',
    );
    expect(search.code).to.equal(1);
    expect(search.output)
      .to.include('Elasticsearch')
      .and.to.include('unable to authenticate user [vitrine-cli]');
    const kafka = await cli(
      { ...(await secure.as('vitrine-cli')), ...only(await secure.as('vitrine-cli', WRONG), 'KAFKA') },
      'status',
    );
    expect(kafka.code).to.equal(1);
    expect(kafka.output)
      .to.include('Kafka')
      .and.to.match(/authentication failed/i);
  });

  for (const [what, change, said] of [
    [
      'a wrong password',
      async () => secure.as('vitrine-query', WRONG),
      /rejected this service's credentials.*unable to authenticate user \[vitrine-query\]/,
    ],
    [
      'an unknown API key',
      async () => withApiKey(await secure.as('vitrine-query')),
      /rejected this service's credentials.*API key/,
    ],
    [
      'an untrusted certificate authority',
      async () => ({ ...(await secure.as('vitrine-query')), ELASTICSEARCH_TLS_CA_FILE: '' }),
      /certificate/,
    ],
  ] as const)
    it(`the query service with ${what} reports the error, stays unready, and logs no secret`, async () => {
      const { log, lines } = keptLog();
      const service = await startQueryService({ ...LOUD, ...(await change()) }, log);
      try {
        await eventually('"not ready" in the log', async () => /"msg":"not ready"/.test(lines()));
        const { status, text } = await readiness(service.adminPort);
        expect(status).to.equal(503);
        expect(text).to.match(said);
        const answer = await fetch(`http://127.0.0.1:${service.port}/api/public-feed`);
        expect(answer.status).to.equal(503);
        const metrics = await (await fetch(`http://127.0.0.1:${service.adminPort}/metrics`)).text();
        expect(lines()).to.match(said).and.to.include('"err":{');
        for (const shown of [lines(), text, metrics, await answer.text()]) expectNoSecret(shown);
      } finally {
        await service.stop();
      }
    });

  it('the projector with a wrong Elasticsearch password stays unready, reports the reason, and logs no secret', async () => {
    const [port = 0] = await freePorts(1);
    const wrong = only(await secure.as('vitrine-projector', WRONG), 'ELASTICSEARCH');
    const service = spawn('projector', {
      ...(await secure.as('vitrine-projector')),
      ...wrong,
      ADMIN_PORT: String(port),
    });
    try {
      await eventually('"waiting for Elasticsearch" in the log', async () =>
        service.log().includes('waiting for Elasticsearch'),
      );
      const { status, text } = await readiness(port);
      expect(status).to.equal(503);
      for (const shown of [text, service.log()]) {
        expect(shown).to.include('unable to authenticate user [vitrine-projector]');
        expectNoSecret(shown);
      }
    } finally {
      await service.end();
    }
  });

  const wrongly = async () => ({
    ...(await secure.as('vitrine-projector')),
    ...only(await secure.as('vitrine-projector', WRONG), 'KAFKA'),
  });
  const nobody = { KAFKA_SASL_MECHANISM: '', KAFKA_SASL_USERNAME: '', KAFKA_SASL_PASSWORD_FILE: '' };
  for (const [what, env, said] of [
    ['a wrong Kafka password', wrongly, /SCRAM SHA512 authentication failed/],
    [
      'a wrong Kafka password over PLAIN',
      async () => ({ ...(await wrongly()), KAFKA_SASL_MECHANISM: 'plain' }),
      /PLAIN authentication failed/,
    ],
    [
      'no Kafka user name',
      async () => ({ ...(await wrongly()), ...nobody }),
      /the client connected without SASL/,
    ],
    [
      'a Kafka user without rights',
      async () => secure.as('vitrine-query'),
      /the topic marketplace.listing-events does not exist/,
    ],
  ] as const)
    it(`the projector with ${what} does not start, reports the reason, and logs no secret`, async () => {
      const { log, lines } = keptLog();
      const settings = readSettings(projectorSettings, { ...LOUD, ...(await env()) }, checkProjectorSettings);
      const error = await startProjector(settings, log).catch((error: Error) => error);
      expect(error).to.be.instanceOf(Error).with.property('message').that.matches(said);
      log.fatal({ err: error });
      expectNoSecret(lines());
    });

  it('a projector with wrong credentials exits', async () => {
    const service = spawn('projector', await wrongly());
    expect(await service.exited).to.equal(1);
    expect(service.log()).to.match(/"level":"fatal".*SCRAM SHA512 authentication failed/);
    expectNoSecret(service.log());
  });

  it('the logs of successful connections contain no secret either', () => {
    expect(projector.log()).to.include('projecting');
    for (const service of [projector, query]) expectNoSecret(service.log());
  });

  const cli = async (env: Record<string, string>, ...args: string[]) => {
    let output = '';
    const write = (text: string) => (output += text);
    const { signal } = new AbortController();
    const code = await runCli([...args, '--json'], {
      env: { ...env, LOG_LEVEL: 'silent' },
      stdout: { write },
      stderr: { write },
      signal,
    });
    expectNoSecret(output);
    return { code, output };
  };
});

const withApiKey = ({
  ELASTICSEARCH_USERNAME: _,
  ELASTICSEARCH_PASSWORD_FILE: __,
  ...env
}: Record<string, string>) => ({
  ...env,
  ELASTICSEARCH_API_KEY: API_KEY,
});

/** The environment variables that concern one engine. */
const only = (env: Record<string, string>, engine: 'KAFKA' | 'ELASTICSEARCH') =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(engine)));

async function expectForbidden(what: string, request: () => Promise<unknown>): Promise<void> {
  const error = await request().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error, what).to.be.instanceOf(errors.ResponseError);
  expect((error as errors.ResponseError).statusCode, what).to.equal(403);
}
