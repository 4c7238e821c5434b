import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random, workload } from '@vitrine/fixtures';
import { runCli } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { modelOf } from '../support/oracle/model.ts';
import { encodeBatch, encodeRecords, produceBatch } from '../support/record-batches.ts';
import { eventually, npmCommand } from '../support/service-process.ts';

/** More records than a batch may contain. */
const TOO_MANY = 170_000;
const ROOT = join(import.meta.dirname, '../..');

interface Summary {
  records: number;
  accepted: number;
  refused: Record<string, number>;
  skipped: number;
  findings: Record<string, unknown>[];
  listings: { visible: number; hidden: Record<string, number>; dropped: Record<string, number> };
  warnings: { kind: string; count: number; ids: string[] }[];
}

const snapshot = (id: string, version: number, listing: object = {}, more: object = {}) => ({
  specversion: '1.0',
  id: `${id}/${version}`,
  source: '/relay',
  type: 'marketplace.listing.snapshot',
  subject: id,
  time: '2026-11-01T00:00:00Z',
  data: {
    version,
    listing: {
      title: 'Casa',
      price: 1,
      location: { city: 'Lages' },
      url: 'https://example.com/',
      ...listing,
    },
  },
  ...more,
});
const record = (event: { subject: string }): Published => ({
  key: event.subject,
  value: JSON.stringify(event),
});

describe('cli check', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-test-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Runs the command. Its environment names engines that do not exist, unless the test names others. */
  async function cli(args: readonly string[], env: Record<string, string> = {}) {
    const output = { stdout: '', stderr: '' };
    const code = await runCli(args, {
      env: { KAFKA_BROKERS: '127.0.0.1:1', ELASTICSEARCH_URL: 'http://127.0.0.1:1', ...env },
      stdout: { write: (text: string) => (output.stdout += text) },
      stderr: { write: (text: string) => (output.stderr += text) },
      signal: new AbortController().signal,
    });
    return { code, ...output };
  }
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const lines = (...events: unknown[]): string =>
    events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join('\n');
  async function summary(args: readonly string[], env?: Record<string, string>) {
    const { code, stdout } = await cli(['--json', 'check', ...args], env);
    return { code, ...(JSON.parse(stdout) as Summary) };
  }

  describe('with a file', () => {
    it('accepts valid events without any engine', async () => {
      const found = await summary([file('valid', lines(snapshot('a', 1), snapshot('b', 1)))]);
      expect(found).to.deep.equal({
        code: 0,
        records: 2,
        accepted: 2,
        refused: {},
        skipped: 0,
        findings: [],
        listings: { visible: 2, hidden: {}, dropped: {} },
        warnings: [],
      });
    });

    it('answers 3 and names each fault, in the text and in the report', async () => {
      const report = join(folder, 'report');
      const input = file(
        'faults',
        lines(
          snapshot('a', 1, { price: -1, title: 5 }),
          '{"subject":"b"',
          snapshot('c', 1, { images: ['x'] }),
        ),
      );
      const { code, stdout } = await cli(['check', input, '--report', report]);
      expect(code).to.equal(3);
      expect(stdout)
        .to.include('3 records: 1 accepted, 2 refused')
        .and.include('/data/listing/price must be >= 0: 1, at line 1, listing a: -1')
        .and.include('at line 2, listing b')
        .and.include('images: 1 (c)')
        .and.include(`All findings and listings are in ${report}`);
      expect(
        readFileSync(report, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).to.deep.equal([
        {
          line: 1,
          id: 'a',
          reason: 'schema',
          path: '/data/listing/title',
          value: 5,
          limit: 'string or null',
        },
        { line: 1, id: 'a', reason: 'schema', path: '/data/listing/price', value: -1, limit: 0 },
        { line: 2, id: 'b', reason: 'not-json', path: '', value: '{"subject":"b"' },
        { id: 'c', dropped: 'images', detail: '1 of 1 have no valid URL, for example "x"' },
      ]);
    });

    it('places the events of an array, and of one that spans lines', async () => {
      const bad = snapshot('a', 0);
      const inArray = await summary([file('array', JSON.stringify([snapshot('b', 1), bad], null, 2))]);
      expect(inArray.findings).to.deep.equal([
        { line: 21, index: 2, id: 'a', reason: 'schema', path: '/data/version', value: 0, limit: 1 },
      ]);
      const pretty = await summary([file('pretty', `\ufeff\r\n${JSON.stringify(bad, null, 2)}\r\n`)]);
      expect(pretty.findings).to.deep.equal([
        { line: 2, id: 'a', reason: 'schema', path: '/data/version', value: 0, limit: 1 },
      ]);
    });

    it('applies MAX_VERSION', async () => {
      const input = file('high', lines(snapshot('a', 99), snapshot('a', 101)));
      const found = await summary([input], { MAX_VERSION: '100' });
      expect(found).to.include({ code: 3, accepted: 1 });
      expect(found.findings).to.deep.equal([
        { line: 2, id: 'a', reason: 'version-too-high', path: '/data/version', value: 101, limit: 100 },
      ]);
      expect(await cli(['check', input], { MAX_VERSION: 'x' })).to.include({ code: 2 });
    });

    it('names the Confluent wire format', async () => {
      const { code, stdout } = await cli(['check', file('avro', '\0\0\0\0\u0007\u0002a\u0004b\n{"x"')]);
      expect(code).to.equal(3);
      expect(stdout).to.match(/1 record: 0 accepted, 1 refused[\s\S]*Confluent wire format.*schema 7/);
    });

    it('lets no text control the terminal', async () => {
      const { stdout } = await cli([
        'check',
        file('hostile', lines('{"subject":"\u001b[2J\u202e"', '\u009b31m')),
      ]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
      expect(stdout).to.not.match(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    });

    it('explains what it cannot do, before it begins', async () => {
      const valid = file('input', lines(snapshot('a', 1)));
      const cases: [args: string[], code: number, message: RegExp][] = [
        [[join(folder, 'missing')], 1, /could not read .*missing: ENOENT/],
        [[folder], 1, /could not read .*: it is a folder/],
        [[valid, '--report', join(folder, 'no', 'where')], 1, /could not write the report .*ENOENT/],
        [[valid, '--report', valid], 1, /cannot replace its input/],
        [
          [file('invalid', 'x'), '--report', '/dev/full'],
          1,
          /could not write the report \/dev\/full: ENOSPC/,
        ],
        [['-'], 1, /no standard input/],
        [[], 2, /name either a file or a topic/],
        [[valid, '--topic', 'x'], 2, /name either a file or a topic/],
        [[valid, '--last', '5'], 2, /need '--topic/],
        [['--topic', 'x', '--since', 'yesterday'], 2, /a date or a time/],
        [['--topic', 'x', '--since', '2026-11-01', '--last', '5'], 2, /cannot be used with/],
        [['--topic', 'x', '--last', '0'], 2, /at least 1/],
        [['--topic', 'x'], 1, /127\.0\.0\.1:1/],
      ];
      for (const [args, code, message] of cases) {
        const failed = await cli(['check', ...args]);
        expect(failed.code, args.join(' ')).to.equal(code);
        expect(failed.stderr).to.match(message);
      }
      expect(readFileSync(valid, 'utf8')).to.equal(lines(snapshot('a', 1)));
    });

    it('predicts the same feed as the oracle, for random histories', async () => {
      const random = new Random(36);
      for (let run = 0; run < 20; run++) {
        const records = workload({
          seed: random.integer(1, 1_000_000),
          listings: random.integer(1, 60),
          events: random.integer(50, 600),
          poison: 0,
          raised: 0.05,
        }).filter(({ value }) => value !== null);
        const model = modelOf(records);
        const found = await summary([file('history', records.map(({ value }) => value).join('\n'))]);
        const byReason = Map.groupBy(model.hidden.values(), (reason) => reason);
        expect(found.listings.visible, `run ${run}`).to.equal(model.items.size);
        expect(found.listings.hidden).to.deep.equal(
          Object.fromEntries([...byReason].map(([reason, { length }]) => [reason, length])),
        );
        expect(found.records - found.accepted - found.skipped).to.equal(model.deadLetters.length);
      }
    });
  });

  describe('with standard input', () => {
    /** Starts the command in a process of its own. */
    function start() {
      const [, ...command] = npmCommand('cli');
      const child = spawn(process.execPath, [...command, '--json', 'check', '-'], { cwd: ROOT });
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].on('data', (more: Buffer) => (output[name] += String(more)));
      const exited = once(child, 'close').then(([code]) => code as number);
      return { child, output, exited };
    }

    it('reads to its end', async () => {
      const { child, output, exited } = start();
      child.stdin.end(lines(snapshot('a', 1), snapshot('b', 0)));
      expect(await exited, output.stderr).to.equal(3);
      expect(JSON.parse(output.stdout)).to.include({ records: 2, accepted: 1 });
    });

    it('ends with 130 after Ctrl-C, although more may come', async () => {
      const { child, output, exited } = start();
      child.stdin.write(`${lines(snapshot('a', 1))}\n`);
      await eventually('the command reads', async () => output.stderr.includes('reading MB'));
      child.kill('SIGINT');
      expect(await exited, output.stderr).to.equal(130);
      expect(JSON.parse(output.stdout)).to.have.nested.property('error.kind', 'interrupted');
    });
  });

  describe('with a topic', () => {
    let deployment: Deployment;
    let since: string;
    before(async () => {
      deployment = await createDeployment('check', 1);
      const { data, ...attributes } = snapshot('binary', 1);
      await deployment.publish([
        record(snapshot('a', 5)),
        { key: 'b', value: '{' },
        { ...record(snapshot('c', 1)), key: 'd' },
        { key: 'a', value: null, headers: { version: '9' } },
        { key: 'a', value: null },
        { ...record(snapshot('x', 1)), key: Buffer.from([0xff]) },
        { key: 'e', value: Buffer.from([0, 0, 0, 0, 1, 2]) },
        {
          key: 'binary',
          value: JSON.stringify(data),
          headers: Object.fromEntries(
            Object.entries(attributes).map(([name, value]) => [`ce_${name}`, String(value)]),
          ),
        },
      ]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      since = new Date().toISOString();
      await new Promise((resolve) => setTimeout(resolve, 50));
      await deployment.publish([record(snapshot('late', 1)), record(snapshot('late', 2))]);
    });
    after(() => deployment?.close());
    const ofTopic = (...args: string[]) => summary(['--topic', deployment.topic, ...args], deployment.env);

    it('checks every record, with tombstones, binary mode and poison', async () => {
      const found = await ofTopic('--from-beginning');
      expect(found).to.deep.include({
        code: 3,
        records: 10,
        accepted: 5,
        refused: { 'not-json': 2, 'key-mismatch': 1, 'tombstone-without-version': 1, 'not-utf8': 1 },
        listings: { visible: 2, hidden: { removed: 1 }, dropped: {} },
        warnings: [],
      });
      expect(found.findings.map(({ value: _, ...place }) => place)).to.deep.equal([
        { partition: 0, offset: '1', id: 'b', reason: 'not-json', path: '' },
        { partition: 0, offset: '2', id: 'd', reason: 'key-mismatch', path: '/subject', limit: 'd' },
        { partition: 0, offset: '4', id: 'a', reason: 'tombstone-without-version', path: '' },
        { partition: 0, offset: '5', id: '\ufffd', reason: 'not-utf8', path: '' },
        { partition: 0, offset: '6', id: 'e', reason: 'not-json', path: '' },
      ]);
    });

    it('checks the newest records, or those since a time', async () => {
      expect(await ofTopic('--last', '1')).to.include({ code: 0, records: 1 });
      expect(await ofTopic('--last', '100')).to.include({ records: 10 });
      expect(await ofTopic('--since', since)).to.include({ code: 0, records: 2 });
      expect(await ofTopic('--since', '2100-01-01')).to.include({ code: 0, records: 0 });
    });

    it('leaves no group behind, and writes no record', async () => {
      const groups = await deployment.admin.listGroups();
      expect(groups.filter((group) => group.startsWith(deployment.prefix))).to.deep.equal([]);
      const [offsets] = await deployment.admin.fetchTopicOffsets(deployment.topic);
      expect(offsets?.high).to.equal('10');
    });

    it('names a batch that cannot be read, and continues behind it', async () => {
      const tiny = Array.from({ length: TOO_MANY }, () => ({ key: 'tiny', value: '{}' }));
      const batch = encodeBatch(encodeRecords(tiny), TOO_MANY);
      const { env, topic } = await createDeployment('check-batch', 1).then(async (other) => {
        await produceBatch(other.env.KAFKA_BROKERS, other.topic, 0, batch);
        await other.publish([record(snapshot('behind', 1))]);
        await other.close();
        return other;
      });
      const found = await summary(['--topic', topic], env);
      expect(found).to.deep.include({ code: 3, records: 2, accepted: 1, refused: { 'batch-too-large': 1 } });
      expect(found.findings).to.deep.equal([
        { partition: 0, offset: '0', reason: 'batch-too-large', path: '' },
      ]);
    });

    it('names a topic that does not exist', async () => {
      const { code, stderr } = await cli(['check', '--topic', 'no-such-topic'], deployment.env);
      expect(code).to.equal(1);
      expect(stderr).to.include('the topic no-such-topic does not exist');
    });
  });
});
