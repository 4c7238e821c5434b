import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type EngineControl, type Engines, startEngines } from '@vitrine/engines';
import { createKafka, type KafkaClient } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';

const CLONE = fileURLToPath(new URL('../..', import.meta.url));
const PARENT = `
  import { startEngines } from '@vitrine/engines';
  const { settings, source, kafka, elasticsearch, folder } = await startEngines({ elasticsearchHeap: '512m' });
  console.log(JSON.stringify({ settings, source, folder, pids: [kafka?.pid, elasticsearch?.pid] }));
  setInterval(() => {}, 1_000);
`;

/** An engine or a folder that a killed process leaves behind would stay forever. */
const GONE_WITHIN_MS = 60_000;

interface Started {
  readonly settings: Engines['settings'];
  readonly source: Engines['source'];
  readonly folder: string;
  readonly pids: readonly number[];
}

/** These tests start their own engines even if the environment names others. */
const env: NodeJS.ProcessEnv = { ...process.env, KAFKA_BROKERS: '', ELASTICSEARCH_URL: '' };

function kafkaOf({ settings }: Pick<Engines, 'settings'>): KafkaClient {
  return createKafka({ brokers: settings.KAFKA_BROKERS }, createLog('test', 'silent'));
}

async function elasticsearch(
  { settings }: Pick<Engines, 'settings'>,
  method: string,
  path: string,
  { body, withinMs = 30_000 }: { body?: unknown; withinMs?: number } = {},
): Promise<Response> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return fetch(new URL(path, settings.ELASTICSEARCH_URL), {
    method,
    ...init,
    signal: AbortSignal.timeout(withinMs),
  });
}

async function highWatermark(engines: Pick<Engines, 'settings'>, topic: string): Promise<string | undefined> {
  const admin = kafkaOf(engines).admin();
  await admin.connect();
  try {
    return (await admin.fetchTopicOffsets(topic))[0]?.high;
  } finally {
    await admin.disconnect();
  }
}

async function until(happens: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (!happens() && Date.now() < deadline) await delay(50);
  return happens();
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

describe('the engines', () => {
  let engines: Engines;
  let parent: ChildProcess;
  let other: Started;

  const control = (engine: 'kafka' | 'elasticsearch'): EngineControl => {
    const found = engines[engine];
    if (found === undefined) throw new Error(`no control of ${engine}`);
    return found;
  };

  before('start two instances, one of them in another process', async () => {
    parent = spawn(process.execPath, ['--input-type=module', '--eval', PARENT], {
      cwd: CLONE,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (parent.stdout === null) throw new Error('no standard output');
    const line = once(createInterface(parent.stdout), 'line');
    const failed = once(parent, 'exit').then(() => Promise.reject(new Error('the other process ended')));
    const [own, [text]] = await Promise.all([
      startEngines({ env, elasticsearchHeap: '512m' }),
      Promise.race([line, failed]),
    ]);
    failed.catch(() => undefined);
    engines = own;
    other = JSON.parse(String(text)) as Started;
  });

  after(async () => {
    parent?.kill('SIGKILL');
    await engines?.stop();
  });

  it('respond, accept a record of 3 MiB, and never create a topic or index implicitly', async () => {
    const kafka = kafkaOf(engines);
    const admin = kafka.admin();
    const producer = kafka.producer({ allowAutoTopicCreation: true, retries: 1 });
    await admin.connect();
    await producer.connect();
    try {
      await admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 1 }], waitForLeaders: true });
      await producer.send({
        topic: 'kept',
        messages: [{ key: 'large', value: Buffer.alloc(3 * 1024 * 1024) }],
      });
      const refused = await producer
        .send({ topic: 'misspelt', messages: [{ value: 'x' }] })
        .catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Error);
      expect(await admin.listTopics()).not.to.include('misspelt');
    } finally {
      await producer.disconnect();
      await admin.disconnect();
    }
    expect((await elasticsearch(engines, 'PUT', '/kept')).status).to.equal(200);
    expect(
      (await elasticsearch(engines, 'PUT', '/kept/_doc/1?refresh=true', { body: { a: 1 } })).status,
    ).to.equal(201);
    expect((await elasticsearch(engines, 'PUT', '/misspelt/_doc/1', { body: { a: 1 } })).status).to.equal(
      404,
    );
  });

  it('share nothing with another instance', async () => {
    expect((await elasticsearch(other, 'GET', '/kept')).status).to.equal(404);
    const admin = kafkaOf(other).admin();
    await admin.connect();
    expect(await admin.listTopics()).to.deep.equal([]);
    await admin.disconnect();
  });

  it('keep the temporary files of their launchers in their own folder, and delete the folder when they stop', function () {
    const { folder } = engines;
    if (folder === undefined) return this.skip();
    // Elasticsearch's launcher asks Java for its flags in a folder of this name, and does not delete the
    // folder. The launcher of 9.2.0 does this twice.
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => /temp\/final-flags\d+$/.test(path))).not.to.be.empty;
  });

  it('can be frozen and thawed', async () => {
    await control('elasticsearch').freeze();
    const silent = await elasticsearch(engines, 'GET', '/kept/_doc/1', { withinMs: 2_000 }).catch(
      (error: unknown) => error,
    );
    expect(silent).to.be.instanceOf(Error).with.property('name', 'TimeoutError');
    await control('elasticsearch').thaw();
    expect((await elasticsearch(engines, 'GET', '/kept/_doc/1')).status).to.equal(200);
  });

  it('exit within seconds after the process that started them is killed', async function () {
    if (other.source.kafka !== 'java') this.skip();
    expect(existsSync(other.folder)).to.equal(true);
    process.kill(other.pids[0] ?? 0, 'SIGSTOP'); // a frozen engine must not survive either
    parent.kill('SIGKILL');
    expect(await until(() => other.pids.every(isGone), GONE_WITHIN_MS), 'the engines are gone').to.equal(
      true,
    );
    expect(await until(() => !existsSync(other.folder), GONE_WITHIN_MS), 'their folder is gone').to.equal(
      true,
    );
  });

  it('keep their port and data when they restart after a stop or a crash', async () => {
    await Promise.all([control('kafka').kill(), control('elasticsearch').stop()]);
    expect([engines.kafka?.pid, engines.elasticsearch?.pid]).to.deep.equal([undefined, undefined]);
    expect(await elasticsearch(engines, 'GET', '/').catch((error: unknown) => error)).to.be.instanceOf(Error);
    await Promise.all([control('kafka').start(), control('elasticsearch').start()]);
    expect((await elasticsearch(engines, 'GET', '/kept/_doc/1')).status).to.equal(200);
    expect(await highWatermark(engines, 'kept')).to.equal('1');
  });

  it('stop after one or two requests, even while one engine is frozen', async () => {
    const { folder } = engines;
    await control('kafka').freeze();
    await Promise.all([engines.stop(), engines.stop()]);
    await engines.stop();
    if (folder !== undefined) expect(existsSync(folder)).to.equal(false);
    expect(await elasticsearch(engines, 'GET', '/').catch((error: unknown) => error)).to.be.instanceOf(Error);
  });
});
