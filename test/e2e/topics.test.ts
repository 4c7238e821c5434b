import { createKafka, type KafkaAdmin } from '@vitrine/kafka';
import { type Created, runCli, type TopicsReport } from '@vitrine/operator';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { startService } from '../support/service-process.ts';

describe('the commands for topics', () => {
  let brokers: string;
  let admin: KafkaAdmin;
  let count = 0;

  before(async () => {
    brokers = (await engines()).settings.KAFKA_BROKERS;
    admin = createKafka({ brokers }, createLog('test', 'silent')).admin();
    await admin.connect();
  });
  after(() => admin.disconnect());

  /** Names of topics that do not exist, and a command line for these topics without Elasticsearch. */
  const topics = () => {
    const events = `topics-${process.pid}-${++count}`;
    const run = async (...args: string[]) => {
      let [stdout, stderr] = ['', ''];
      const code = await runCli(['topics', ...args], {
        env: { KAFKA_BROKERS: brokers, LISTING_EVENTS_TOPIC: events, LOG_LEVEL: 'silent' },
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: (text) => (stderr += text) },
        signal: new AbortController().signal,
      });
      return { code, stdout, stderr };
    };
    const json = async <T>(...args: string[]) => {
      const { code, stdout, stderr } = await run('--json', ...args);
      return { code, stderr, report: JSON.parse(stdout || 'null') as T };
    };
    return { events, deadLetters: `${events}.dead-letters`, run, json };
  };
  const found = ({ findings }: TopicsReport): string[] =>
    findings.map(({ severity, topic, subject }) => `${severity} ${topic} ${subject}`);
  const make = (topic: string, settings: Record<string, string>, numPartitions = 2) =>
    admin.createTopics({
      topics: [
        {
          topic,
          numPartitions,
          replicationFactor: 1,
          configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
        },
      ],
    });

  it('fail a check of missing topics, create nothing in a dry run, and create topics that pass the check', async () => {
    const { events, deadLetters, run, json } = topics();
    const before = await json<TopicsReport>('check');
    expect(before.code).to.equal(3);
    expect(found(before.report)).to.deep.equal([`error ${events} topic`, `warning ${deadLetters} topic`]);

    const dry = await run('create', '--dry-run');
    expect(dry).to.include({ code: 0, stdout: `Would be created: ${events}, ${deadLetters}.\n` });
    expect(await admin.listTopics()).not.to.include(events);

    const { code, report } = await json<Created>('create', '--partitions', '5');
    expect(code).to.equal(0);
    expect(report.created).to.deep.equal([events, deadLetters]);
    expect(report.events).to.include({ partitions: 5, replicationFactor: 1 });
    expect(report.events?.settings).to.include({
      'cleanup.policy': 'delete',
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'max.message.bytes': String((1024 + 64) * 1024),
      'min.insync.replicas': '1',
    });
    expect(report.deadLetters).to.include({ partitions: 5 });
    expect(report.deadLetters?.settings).to.include({
      'retention.ms': '-1',
      'max.message.bytes': String((2048 + 128) * 1024),
    });

    // The single broker allows only one replica, and Kafka keeps offsets for 7 days by default.
    const after = await json<TopicsReport>('check');
    expect(after.code).to.equal(0);
    expect(found(after.report)).to.deep.equal([
      `warning ${events} replicas`,
      `warning ${events} offsets.retention.minutes`,
      `warning ${deadLetters} replicas`,
    ]);
    expect((await run('check', '--strict')).code).to.equal(3);
    expect((await run('check')).stdout).to.match(
      /^1 broker\n.*unlimited.*1\.1 MiB.*\n.*unlimited.*2\.1 MiB.*warning: /s,
    );
  });

  it('report the problems of existing topics but never alter them', async () => {
    const { events, deadLetters, json } = topics();
    await make(events, { 'cleanup.policy': 'compact', 'max.message.bytes': '2000000' });
    await make(deadLetters, { 'retention.ms': '86400000', 'max.message.bytes': '2000000' });
    const wrong = [
      `error ${events} cleanup.policy`,
      `error ${deadLetters} max.message.bytes`,
      `warning ${events} replicas`,
      `warning ${events} offsets.retention.minutes`,
      `warning ${deadLetters} retention.ms`,
      `warning ${deadLetters} replicas`,
    ];
    for (const args of [['check'], ['create', '--partitions', '9']]) {
      const { code, report } = await json<Partial<Created> & TopicsReport>(...args);
      expect(code, args[0]).to.equal(3);
      expect(found(report), args[0]).to.deep.equal(wrong);
      expect(report.created ?? []).to.deep.equal([]);
      expect(report.events?.partitions).to.equal(2);
    }
  });

  it('create a dead-letter topic that fits the existing events topic', async () => {
    const { events, deadLetters, json } = topics();
    await make(events, { 'max.message.bytes': '3000000', 'retention.ms': '-1' }, 3);
    const { code, report } = await json<Created>('create');
    expect(code).to.equal(0);
    expect(report.created).to.deep.equal([deadLetters]);
    expect(report.deadLetters).to.include({ partitions: 3 });
    expect(report.deadLetters?.settings).to.include({ 'max.message.bytes': '6000000' });
  });

  it('refuse to create topics that the brokers cannot replicate', async () => {
    const { events, run } = topics();
    const tooMany = await run('create', '--replication-factor', '3');
    expect(tooMany.code).to.equal(1);
    expect(tooMany.stderr).to.match(/[Rr]eplication/);
    expect(await run('create', '--min-insync-replicas', '2')).to.include({
      code: 1,
      stderr: 'min.insync.replicas (2) exceeds the replication factor (1)\n',
    });
    expect(await admin.listTopics()).not.to.include(events);
  });

  it('log no warning when they create topics, although the leaders appear later', async () => {
    const env = { KAFKA_BROKERS: brokers, LISTING_EVENTS_TOPIC: topics().events, LOG_LEVEL: 'info' };
    const command = startService('cli', env, ['topics', 'create', '--partitions', '50']);
    expect(await command.exited, command.log()).to.equal(0);
    expect(command.log()).not.to.include('"level":"warn"');
  });
});
