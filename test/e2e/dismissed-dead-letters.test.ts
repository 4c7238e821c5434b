import { type CommandContext, dismissDeadLetters, listDeadLetters, runCli } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { cli, openCommandContext, type RunningProjector, runProjector } from '../support/in-process.ts';

const COMPLETE = {
  title: 'Casa',
  price: 1,
  location: { city: 'Curitiba' },
  url: 'https://vitrine.example/',
};
const event = (id: string, version: number, changes: object, type = 'changed', source = '/backend') => ({
  key: id,
  value: JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source,
    type: `marketplace.listing.${type}`,
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: { version, [type === 'snapshot' ? 'listing' : 'changes']: changes },
  }),
});
const HOSTILE = '\u001b[31m<img src=x onerror=alert(1)>\u202e';

interface Listed {
  total: number;
  retried: number;
  dismissed: number;
  corrected: number;
  byReason: Record<string, number>;
  causes: { id: string; reason: string; path: string; source?: string; count: number }[];
  newest: {
    ref: string;
    key: string;
    corrected?: unknown;
    dismissed?: { reason: string; at: string };
    retried: boolean;
    retryOf?: string;
  }[];
}

describe('dead letters that need no action', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let operation: CommandContext & { close(): Promise<void> };

  beforeEach(async () => {
    deployment = await createDeployment('dismissed', 2);
    projector = await runProjector(deployment);
    operation = await openCommandContext(deployment);
  });
  afterEach(async () => {
    await operation?.close();
    await projector?.stop();
    await deployment?.close();
  });

  const publish = async (...records: Parameters<Deployment['publish']>[0][number][]) => {
    for (const record of records) await deployment.publish([record]);
    await deployment.caughtUp();
  };
  const list = async (...args: string[]): Promise<Listed> =>
    (await cli(deployment, ['dead-letters', 'list', ...args])).json as unknown as Listed;
  const run = (...args: string[]) => cli(deployment, ['dead-letters', ...args]);
  const refOf = async (key: string) => (await list('--all', '--key', key)).newest[0]?.ref ?? '';
  const idsOf = async () => {
    let stdout = '';
    await runCli(['listings', '--dead-letters', '--json'], {
      env: { ...deployment.env, LOG_LEVEL: 'error' },
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: () => true },
      signal: new AbortController().signal,
    });
    const lines = stdout.split('\n').filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as { id: string }).id);
  };

  it('are grouped by cause, and found by it', async () => {
    await publish(
      ...[1, 2, 3].map((n) => event(`p-${n}`, 1, { ...COMPLETE, price: 'free' })),
      event('p-4', 1, { ...COMPLETE, price: 'free' }, 'changed', '/other'),
      event('i', 1, { ...COMPLETE, images: ['https://a.example/', 7] }),
      event('j', 1, { ...COMPLETE, images: [7] }),
      { key: 'bad', value: '{' },
    );
    const { causes, total } = await list();
    expect(total).to.equal(7);
    expect(
      causes.map(({ reason, path, source, count }) => [reason, path, source, count]),
    ).to.have.deep.members([
      ['schema', '/data/changes/price', '/backend', 3],
      ['schema', '/data/changes/price', '/other', 1],
      ['schema', '/data/changes/images/*', '/backend', 2],
      ['not-json', '', undefined, 1],
    ]);
    expect(causes[0]?.count).to.equal(3);
    const found = await list('--cause', String(causes[0]?.id));
    expect(found.newest.map(({ key }) => key).sort()).to.deep.equal(['p-1', 'p-2', 'p-3']);
    expect((await list('--until', '2020-01-01')).total).to.equal(0);
    expect((await list('--since', '2020-01-01T00:00:00Z')).total).to.equal(7);
  });

  it('are corrected by a later version that holds everything which the record would have set', async () => {
    await publish(
      event('fixed', 5, { price: 'free', title: 'x' }),
      event('partly', 5, { price: 'free', title: 'x' }),
      event('whole', 3, { ...COMPLETE, price: 'free' }, 'snapshot'),
      event('older', 9, { price: 'free' }),
      { key: 'cut', value: event('cut', 4, COMPLETE).value.slice(0, -3) },
      { key: 'unknown', value: '{' },
      event('fixed', 6, COMPLETE),
      event('partly', 6, { price: 2 }),
      event('whole', 3, COMPLETE, 'snapshot'),
      event('older', 8, COMPLETE),
      event('cut', 7, COMPLETE, 'snapshot'),
      event('unknown', 7, COMPLETE, 'snapshot'),
    );
    const open = await list();
    expect(open.newest.map(({ key }) => key).sort()).to.deep.equal(['older', 'partly', 'unknown']);
    expect(open).to.include({ total: 3, corrected: 3, retried: 0, dismissed: 0 });
    const all = await list('--all');
    const versions = Object.fromEntries(all.newest.map(({ key, corrected }) => [key, corrected]));
    expect(versions).to.deep.equal({
      fixed: 6,
      whole: 3,
      cut: 7,
      partly: undefined,
      older: undefined,
      unknown: undefined,
    });
    expect(await idsOf()).to.deep.equal(['older', 'partly', 'unknown']);
    const { json } = await run('show', await refOf('fixed'));
    expect(json).to.deep.include({ corrected: 6, retried: false });
  });

  it('stay dismissed with their reason, even for a second operator and after a replay', async () => {
    await publish({ key: 'bad', value: '{"a":' }, { key: 'other', value: '[' });
    const ref = await refOf('bad');
    expect((await run('dismiss', ref, '--reason', HOSTILE, '--dry-run')).json).to.include({
      dryRun: true,
      dismissed: 1,
    });
    expect((await list()).total).to.equal(2);
    const records = await deployment.deadLetterCount();

    const first = await run('dismiss', ref, '--reason', HOSTILE);
    expect([first.code, first.json]).to.deep.equal([
      0,
      { dryRun: false, dismissed: 1, alreadyDismissed: 0, alreadyRetried: 0, alreadyCorrected: 0 },
    ]);
    const open = await list();
    expect(open).to.include({ total: 1, dismissed: 1 });
    expect(open.newest.map(({ key }) => key)).to.deep.equal(['other']);
    expect(await idsOf()).to.deep.equal(['other']);
    const [dismissed] = (await list('--all', '--key', 'bad')).newest;
    expect(dismissed?.dismissed?.reason).to.equal(HOSTILE);
    expect(dismissed?.retried).to.equal(false);

    const second = await run('dismiss', ref, '--reason', 'again');
    expect(second.json).to.include({ dismissed: 0, alreadyDismissed: 1 });
    expect(second.code).to.equal(0);
    expect((await list('--all', '--key', 'bad')).newest[0]?.dismissed?.reason).to.equal(HOSTILE);

    expect((await cli(deployment, ['replay', '--from', 'topic'])).code).to.equal(0);
    expect(await list()).to.include({ total: 1, dismissed: 1 });
    // A projector that does not know the dead letters writes them again, for example after a crash.
    const letter = (await deployment.deadLetters()).find(
      ({ headers, key }) => String(key) === 'bad' && headers?.['dead-letter-reason'],
    );
    await operation.producer.send({
      topic: deployment.deadLetterTopic,
      messages: [{ ...letter, partition: undefined } as never],
    });
    expect(await list()).to.include({ total: 1, dismissed: 1 });
    expect(await deployment.deadLetterCount()).to.equal(records + 2);
    // A retry by filter leaves the dismissed record alone. A retry that names the record sends it.
    expect((await run('retry', '--key', 'bad')).json).to.include({ dismissed: 1, stillRefusedTotal: 0 });
    expect((await run('retry', ref)).json).to.include({ dismissed: 0, stillRefusedTotal: 1 });
  });

  it('stay dismissed after the retention has deleted the dead letter and a rebuild has written it again', async () => {
    await publish({ key: 'bad', value: '{' });
    const written = await deployment.deadLetters();
    await run('dismiss', await refOf('bad'), '--reason', 'a test');
    const [partition, offset] = (await refOf('bad')).split(':').map(Number) as [number, number];
    const topic = deployment.deadLetterTopic;
    await operation.admin.deleteTopicRecords({
      topic,
      partitions: [{ partition, offset: String(offset + 1) }],
    });
    expect((await list('--all')).total).to.equal(0);
    await operation.producer.send({ topic, messages: [{ ...written[0], partition } as never] });
    expect(await list()).to.include({ total: 0, dismissed: 1 });
  });

  it('are dismissed once, although the response to the command was lost', async () => {
    await publish({ key: 'bad', value: '{' });
    const ref = await refOf('bad');
    const lost = {
      ...operation,
      producer: {
        ...operation.producer,
        send: async (...args: Parameters<typeof operation.producer.send>) => {
          await operation.producer.send(...args);
          throw new Error('the response is lost');
        },
      },
    };
    const options = { ref, why: 'a test', dryRun: false };
    const failure = await dismissDeadLetters(lost as CommandContext, options).catch((error: Error) => error);
    expect(failure).to.have.property('message', 'the response is lost');
    expect(await dismissDeadLetters(operation, options)).to.include({ dismissed: 0, alreadyDismissed: 1 });
    // Two operators act at the same moment, so both marks apply to the same record.
    await publish({ key: 'both', value: '{' });
    const both = await refOf('both');
    await Promise.all(
      ['one', 'two'].map((why) => dismissDeadLetters(operation, { ref: both, why, dryRun: false })),
    );
    expect(await listDeadLetters(operation, { limit: 9, all: false })).to.include({ total: 0, dismissed: 2 });
  });

  it('are dismissed by cause, without those that were settled before', async () => {
    await publish(
      ...[1, 2, 3, 4].map((n) => event(`p-${n}`, 1, { ...COMPLETE, price: 'free' })),
      { key: 'bad', value: '{' },
      event('p-1', 2, COMPLETE),
    );
    await run('dismiss', await refOf('p-2'), '--reason', 'known');
    const { causes } = await list();
    const cause = String(causes.find(({ reason }) => reason === 'schema')?.id);
    const { json } = await run('dismiss', '--cause', cause, '--reason', 'a load test');
    expect(json).to.deep.equal({
      dryRun: false,
      dismissed: 2,
      alreadyDismissed: 1,
      alreadyRetried: 0,
      alreadyCorrected: 1,
    });
    expect((await list()).newest.map(({ key }) => key)).to.deep.equal(['bad']);
  });

  it('are corrected and sent again completely, although several partitions are read at the same time', async () => {
    await projector.stop();
    projector = await runProjector(deployment, { MAX_VERSION: '100' });
    const ids = Array.from({ length: 300 }, (_, n) => `p-${n}`);
    const description = 'd'.repeat(8_000);
    await deployment.publish([
      ...ids.map((id) => event(id, 1, { price: 'free' })),
      ...ids.map((id) => event(id, 2, COMPLETE)),
      ...ids.map((id) => event(id, 101, { description })),
    ]);
    await deployment.caughtUp();
    expect(await list()).to.include({ total: 300, corrected: 300 });
    await projector.stop();
    expect((await run('retry')).json).to.include({ sent: 300, corrected: 300, stillRefusedTotal: 0 });
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    const items = await deployment.items();
    expect(ids.filter((id) => !JSON.stringify(items.get(id)).includes(description))).to.deep.equal([]);
  });

  it('are dismissed in requests that Kafka accepts, although their keys are long', async () => {
    for (let n = 0; n < 12; n++)
      await deployment.publish([{ key: `${n}`.padEnd(2_500_000, 'k'), value: '{' }]);
    await deployment.caughtUp();
    const { json } = await run('dismiss', '--refusal', 'not-json', '--reason', 'a load test');
    expect(json).to.include({ dismissed: 12, alreadyDismissed: 0 });
  });

  it('say that a retry was refused again', async () => {
    await publish(event('late', Number.MAX_SAFE_INTEGER, COMPLETE));
    await projector.stop();
    const env = { MAX_VERSION: '100' };
    projector = await runProjector(deployment, env);
    await publish(event('burned', 101, COMPLETE));
    const ref = await refOf('burned');
    // This process does not know the projector's bound.
    expect((await run('retry', ref)).json).to.include({ sent: 1 });
    await deployment.caughtUp();
    const { newest, retried } = await list();
    expect(retried).to.equal(1);
    expect(newest.map(({ key, retryOf }) => [key, retryOf])).to.deep.equal([['burned', ref]]);
  });

  it("are chosen by their record's newest reason, as in the list", async () => {
    await publish({ key: 'bad', value: '{' });
    const [letter] = await deployment.deadLetters();
    const headers = { ...letter?.headers, 'dead-letter-reason': 'schema' };
    await operation.producer.send({
      topic: deployment.deadLetterTopic,
      messages: [{ ...letter, headers, partition: undefined } as never],
    });
    expect((await list('--reason', 'not-json')).total).to.equal(0);
    const dismissal = await run('dismiss', '--refusal', 'not-json', '--reason', 'a test');
    expect(dismissal.json).to.include({ dismissed: 0 });
    const retry = await run('retry', '--reason', 'not-json', '--dry-run');
    expect(retry.json).to.include({ sent: 0, stillRefusedTotal: 0 });
    expect((await run('retry', '--reason', 'schema', '--dry-run')).json).to.include({ stillRefusedTotal: 1 });
    expect((await run('dismiss', '--refusal', 'schema', '--reason', 'a test')).json).to.include({
      dismissed: 1,
    });
  });

  it('are refused with an error that says what is missing', async () => {
    await publish({ key: 'bad', value: '{' });
    for (const [args, code, message] of [
      [['0:999', '--reason', 'x'], 3, /dead letter 0:999 does not exist/],
      [['x', '--reason', 'x'], 3, /is not the position of a dead letter/],
      [['0:0'], 2, /required option '--reason <text>'/],
      [['0:0', '--reason', '  '], 2, /1 to 500 characters/],
      [['0:0', '--reason', 'x'.repeat(501)], 2, /1 to 500 characters/],
      [['--reason', 'x'], 2, /select some with a filter/],
      [['--reason', 'x', '--since', 'yesterday'], 2, /must be a time/],
    ] as const) {
      const result = await run('dismiss', ...args);
      expect(result.code, String(args)).to.equal(code);
      expect((result.json.error as { message: string }).message).to.match(message);
    }
    expect(await list()).to.include({ total: 1, dismissed: 0 });
    expect((await run('dismiss', '--help')).stdout).to.include('--dry-run');
  });
});
