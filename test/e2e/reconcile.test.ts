import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { listingEvent, recordOf } from '@vitrine/fixtures';
import { runCli } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { type CliResult, cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, metricOf, startService } from '../support/service-process.ts';

const TIME = '2026-11-01T12:00:00Z';

const listing = (title: string, price: number) => ({
  ad_type: null,
  title,
  description: null,
  category: 'Casa de Praia',
  sub_category: null,
  price,
  location: { city: 'São Paulo', state: 'SP', lat: -23.5, lng: -46.6 },
  provider: { name: 'Ana', slug: null },
  rating: 4.5,
  review_count: 3,
  images: ['https://img.example/1.jpg'],
  url: 'https://vitrine.example/x',
  published_at: null,
});

describe('reconcile', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let folder: string;
  let proxy: FaultProxy;
  const at = (name: string) => join(folder, name);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reconcile-test-'));
    deployment = await createDeployment('reconcile', 2);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = await runProjector(deployment);
    const snapshot = (id: string, version: number, fields: object) =>
      recordOf(listingEvent(id, version, TIME, { type: 'snapshot', data: { listing: fields } }));
    await deployment.publish([
      snapshot('a-equal', 3, listing('Casa A', 100)),
      snapshot('b-price', 4, listing('Casa B', 200)),
      snapshot('c-extra', 5, listing('Casa C', 300)),
      snapshot('d-removed', 6, listing('Casa D', 400)),
      recordOf(listingEvent('d-removed', 7, TIME, { type: 'removed', data: {} })),
      snapshot('e-hidden', 1, { ...listing('Casa E', 0) }),
      snapshot('f-burned', Number.MAX_SAFE_INTEGER, listing('Casa F', 1)),
      recordOf(listingEvent('g-dead', 1, TIME, { type: 'snapshot', data: { listing: { title: 5 } } })),
      snapshot('h-incomplete', 1, { ...listing('Casa H', 10), url: null }),
    ]);
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await proxy.close();
    await deployment.close();
    await rm(folder, { recursive: true });
  });

  const json = (lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const SOURCE: { id: string; [name: string]: unknown }[] = [
    { id: 'a-equal', ...listing('Casa A', 100) },
    { id: 'b-price', ...listing('Casa B', 250) },
    { id: 'd-removed', ...listing('Casa D', 400) },
    { id: 'e-hidden', ...listing('Casa E', 500) },
    { id: 'f-burned', ...listing('Casa F', 600) },
    { id: 'g-dead', ...listing('Casa G', 700) },
    { id: 'h-incomplete', ...listing('Casa H', 10), url: null },
    { id: 'i-unseen', ...listing('Casa I', 900) },
  ];
  const reconcile = async (source: string, args: string[] = [], signal?: AbortSignal): Promise<CliResult> => {
    await writeFile(at('source'), source);
    return cli(
      deployment,
      ['reconcile', '--source', at('source'), '--settle', '0', '--report', at('report'), ...args],
      signal && { signal },
    );
  };
  const report = async () =>
    (await readFile(at('report'), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  const DIFFERENCES = [
    { id: 'b-price', kind: 'different', members: { price: { source: 250, feed: 200 } } },
    { id: 'c-extra', kind: 'extra' },
    { id: 'd-removed', kind: 'missing', why: 'removed' },
    { id: 'e-hidden', kind: 'missing', why: 'hidden:price' },
    { id: 'f-burned', kind: 'different', members: { price: { source: 600, feed: 1 } } },
    { id: 'g-dead', kind: 'missing', why: 'dead-letter' },
    { id: 'i-unseen', kind: 'missing', why: 'unseen' },
  ];
  const COUNTS = { source: 8, equal: 2, missing: 4, extra: 1, different: 2, changed: 0 };

  it('reports each kind of difference, records the counts, and the projector exports them', async () => {
    const run = await reconcile(json(SOURCE));
    expect(run.json, run.output).to.deep.equal(COUNTS);
    expect(run.code).to.equal(3);
    expect(await report()).to.deep.equal(DIFFERENCES);
    expect((await registryOf(deployment)).reconciliation).to.include(COUNTS);
    await eventually(
      'the metric shows the missing listings',
      async () => (await metricOf(projector.admin, 'reconcile_differences', 'kind="missing"')) === 4,
    );
    expect(await metricOf(projector.admin, 'reconcile_age_seconds')).to.be.at.least(0);
    expect((await cli(deployment, ['status'])).json.reconciliation).to.include(COUNTS);
  });

  it('reads the same from CSV as COPY writes it, and from standard input', async () => {
    const columns = ['id', 'title', 'price', 'location.city', 'provider.name', 'images', 'url'];
    const rows = SOURCE.map(({ id, title, price, url }) =>
      [id, `"${title}"`, price, 'São Paulo', 'Ana', '"[""https://img.example/1.jpg""]"', url ?? ''].join(','),
    );
    const csv = [columns.join(','), ...rows, ''].join('\r\n');
    let stdout = '';
    const code = await runCli(
      ['reconcile', '--source', '-', '--settle', '0', '--report', at('report'), '--json'],
      {
        env: { ...deployment.env, LOG_LEVEL: 'error' },
        stdin: Readable.from([Buffer.from(csv)], { objectMode: false }),
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: () => undefined },
        signal: new AbortController().signal,
      },
    );
    expect(JSON.parse(stdout), stdout).to.deep.equal(COUNTS);
    expect(code).to.equal(3);
    expect(await report()).to.deep.equal(DIFFERENCES);
  });

  it('refuses to remove more than --max-removals, and writes nothing', async () => {
    const run = await reconcile(json(SOURCE), ['--emit', at('refused'), '--publish', '--yes']);
    expect(run.code, run.output).to.equal(3);
    expect(run.json.error).to.include({ kind: 'refused' });
    expect(await readdir(folder)).not.to.include('refused');
  });

  it('counts snapshots that hide a live item as removals', async () => {
    const unpriced = json(SOURCE.map((line) => ({ ...line, price: 0 })));
    const { code, output } = await reconcile(unpriced, ['--publish', '--yes', '--max-removals', '2']);
    expect(code).to.equal(3);
    expect(output).to.contain('would remove 4 of 4 live items');
  });

  it('emits every correction, however many there are', async () => {
    const ids = Array.from({ length: 1_200 }, (_, number) => `j-${String(number).padStart(4, '0')}`);
    const unseen = ids.map((id) => ({ id, ...listing('Casa J', 100) }));
    const { output } = await reconcile(json([...SOURCE, ...unseen]), [
      '--emit',
      at('many'),
      '--max-removals',
      '1',
    ]);
    const emitted = (await readFile(at('many'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { subject: string }).subject);
    expect(emitted, output).to.deep.equal([...DIFFERENCES.map(({ id }) => id), ...ids]);
  });

  it('emits no version that MAX_VERSION refuses', async () => {
    await writeFile(at('source'), json(SOURCE));
    const args = ['reconcile', '--source', at('source'), '--settle', '0', '--emit', at('bounded')];
    const { output } = await cli(deployment, [...args, '--max-removals', '1'], { env: { MAX_VERSION: '5' } });
    const versions = (await readFile(at('bounded'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: Record<string, unknown> }).data)
      .map(({ version, version_epoch }) => [version_epoch, version]);
    expect(versions, output).to.deep.equal([
      [undefined, 5],
      [1, 1],
      [1, 1],
      [undefined, 2],
      [1, 1],
      [undefined, 1],
      [undefined, 1],
    ]);
  });

  it('stops at an unordered, repeated, unknown or damaged line, which it names', async () => {
    const [a, b] = [SOURCE[0] as object, SOURCE[1] as object];
    for (const [source, message] of [
      [json([b, a]), 'line 2 of the source is not in ascending byte order'],
      [json([a, a]), 'line 2 of the source repeats the id of line 1'],
      [`${json([a])}{"id":"b",`, 'line 2 of the source is not JSON'],
      ['id,colour\n', 'line 1 of the source names "colour"'],
      ['', 'the source is empty'],
    ] as const) {
      const run = await reconcile(source);
      expect(run.code, run.output).to.equal(1);
      expect(run.output).to.contain(message);
    }
    expect((await registryOf(deployment)).reconciliation?.failed?.error).to.contain('the source is empty');
    expect((await cli(deployment, ['reconcile', '--source', at('nothing')])).code).to.equal(1);
  });

  it('records no interrupted run, removes its files, and runs again', async () => {
    const before = (await registryOf(deployment)).reconciliation;
    const interruption = new AbortController();
    await rm(at('report'));
    const endless = new Readable({ read: () => undefined });
    endless.push('id\na\n');
    const aborting = setInterval(() => {
      if (endless.readableLength === 0) interruption.abort();
    }, 10);
    // Other processes create such files in the shared temporary folder.
    const { TMPDIR } = process.env;
    process.env.TMPDIR = folder;
    let stderr = '';
    const code = await runCli(['reconcile', '--source', '-', '--report', at('report')], {
      env: { ...deployment.env, LOG_LEVEL: 'error' },
      stdin: endless,
      stdout: { write: () => undefined },
      stderr: { write: (text) => (stderr += text) },
      signal: interruption.signal,
    }).finally(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    });
    clearInterval(aborting);
    expect(code, stderr).to.equal(130);
    expect((await registryOf(deployment)).reconciliation).to.deep.equal(before);
    const left = await readdir(folder);
    expect(left.filter((name) => name.startsWith('vitrine-reconcile-'))).to.deep.equal([]);
    expect(left).not.to.include.oneOf(['report', 'report.part']);
    expect(left.filter((name) => name.startsWith('report.'))).to.deep.equal([]);
    expect((await reconcile(json(SOURCE))).json).to.deep.equal(COUNTS);
  });

  it('counts a listing that received an event after the dump as changed, and does not correct it', async () => {
    const later = new Date();
    await deployment.publish([
      recordOf(listingEvent('a-equal', 4, later, { type: 'changed', data: { changes: { price: 111 } } })),
    ]);
    await deployment.caughtUp();
    const asOf = new Date(later.getTime() - 1).toISOString();
    const run = await reconcile(json(SOURCE), [
      '--as-of',
      asOf,
      '--emit',
      at('events'),
      '--max-removals',
      '1',
    ]);
    expect(run.json, run.output).to.deep.equal({ ...COUNTS, equal: 1, changed: 1 });
    expect(await readFile(at('events'), 'utf8')).not.to.contain('a-equal');
  });

  it('counts a listing that changes during the run as changed', async () => {
    let arrived = false;
    proxy.hook = async (_step, _moment, { path }): Promise<Verdict> => {
      if (!arrived && path.includes('/_count')) {
        arrived = true;
        const change = { type: 'changed' as const, data: { changes: { price: 112 } } };
        await deployment.publish([recordOf(listingEvent('a-equal', 5, TIME, change))]);
        await deployment.caughtUp();
      }
      return 'pass';
    };
    const through = { ...deployment, env: { ...deployment.env, ELASTICSEARCH_URL: proxy.url } };
    await writeFile(at('source'), json(SOURCE));
    const run = await cli(through, ['reconcile', '--source', at('source'), '--settle', '0']);
    expect(arrived, 'an event arrived during the run').to.equal(true);
    expect(run.json, run.output).to.deep.equal({ ...COUNTS, equal: 1, changed: 1 });
  });

  const answering = async (source: string, ask: () => Promise<string>) => {
    await writeFile(at('source'), source);
    const asked: string[] = [];
    let output = '';
    const args = ['--source', at('source'), '--settle', '0', '--max-removals', '2', '--publish'];
    const code = await runCli(['reconcile', ...args], {
      env: { ...deployment.env, LOG_LEVEL: 'error' },
      ask: (question) => {
        asked.push(question);
        return ask();
      },
      stdout: { write: (text) => (output += text) },
      stderr: { write: (text) => (output += text) },
      signal: new AbortController().signal,
    });
    return { code, output, asked };
  };
  const events = async () =>
    (await deployment.admin.fetchTopicOffsets(deployment.topic)).reduce(
      (sum, { high }) => sum + Number(high),
      0,
    );

  it('publishes nothing without a confirmation', async () => {
    const before = await events();
    const { code, output, asked } = await answering(json(SOURCE.slice(1)), async () => 'n');
    expect(asked).to.deep.equal([`Publish 2 removals and 6 snapshots to ${deployment.topic}? [y/N] `]);
    expect(code, output).to.equal(3);
    expect(output).to.contain('nothing was published');
    expect(
      (await cli(deployment, ['reconcile', '--source', at('source'), '--publish', '--max-removals', '2']))
        .code,
    ).to.equal(2);
    expect(await events()).to.equal(before);
  });

  it('corrects the feed with events that a replay repeats, and then finds no difference', async () => {
    const source = json([{ ...(SOURCE[0] as object), price: 112 }, ...SOURCE.slice(1)]);
    const args = ['--emit', at('events'), '--publish', '--yes', '--max-removals', '1'];
    const run = await reconcile(source, args);
    expect(run.code, run.output).to.equal(3);
    const events = (await readFile(at('events'), 'utf8')).trimEnd().split('\n');
    const versions = events.map((line) => {
      const { subject, data } = JSON.parse(line) as { subject: string; data: Record<string, unknown> };
      return [subject, data.version_epoch, data.version];
    });
    expect(versions).to.deep.equal([
      ['b-price', undefined, 5],
      ['c-extra', undefined, 6],
      ['d-removed', undefined, 8],
      ['e-hidden', undefined, 2],
      ['f-burned', 1, 1],
      ['g-dead', undefined, 1],
      ['i-unseen', undefined, 1],
    ]);
    await deployment.caughtUp();
    const again = await reconcile(source);
    expect(again.json, JSON.stringify(await report())).to.deep.equal({
      source: 8,
      equal: 8,
      missing: 0,
      extra: 0,
      different: 0,
      changed: 0,
    });
    expect(again.code).to.equal(0);
  });

  it('emits events that publish-event accepts, and that change nothing a second time', async () => {
    const publisher = startService('publish-event', deployment.env, [at('events')]);
    expect(await publisher.exited, publisher.log()).to.equal(0);
    await deployment.caughtUp();
    // When it runs as a program, the command replaces its process with one that has a bounded heap.
    const args = ['reconcile', '--source', at('source'), '--settle', '0'];
    const program = startService('cli', deployment.env, args);
    expect(await program.exited, program.log()).to.equal(0);
    expect(program.log()).to.contain('The feed equals the source.');
  });

  /** The listings whose corrections the last comparison keeps. */
  const subjects = async () => {
    let stdout = '';
    const code = await runCli(['reconciliation', '--corrections'], {
      env: { ...deployment.env, LOG_LEVEL: 'error' },
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: () => undefined },
      signal: new AbortController().signal,
    });
    expect(code, stdout).to.equal(0);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { subject: string }).subject);
  };

  it('keeps the rows and their corrections, without listings that change after the comparison', async () => {
    // The last comparison has found no difference.
    expect(await subjects()).to.deep.equal([]);
    const without = json([{ ...(SOURCE[0] as object), price: 1_000 }, ...SOURCE.slice(2)]);
    expect((await reconcile(without)).code).to.equal(3);
    // One removal is more than 1 % of the items.
    const { json: refused } = await cli(deployment, ['reconciliation']);
    expect(refused).to.include({ extra: 1, correctable: 0 });
    expect(refused.refusal).to.contain('would remove 1 of');
    expect(await subjects()).to.deep.equal([]);
    expect((await reconcile(without, ['--max-removals', '1'])).code).to.equal(3);
    const { json: last, stdout } = await cli(deployment, ['reconciliation']);
    expect(last).not.to.have.property('refusal');
    expect(last.rows, stdout).to.deep.equal(await report());
    expect(last).to.include({ extra: 1, correctable: (last.rows as object[]).length });
    expect(await subjects()).to.deep.equal((last.rows as { id: string }[]).map(({ id }) => id));
    const change = { type: 'changed' as const, data: { changes: { rating: 2 } } };
    await deployment.publish([recordOf(listingEvent('b-price', 40, TIME, change))]);
    await deployment.caughtUp();
    const left = await subjects();
    expect(left).to.not.include('b-price');
    expect(left).to.include('a-equal');
  });

  it('does not correct a listing that changes before the confirmation', async () => {
    const before = await events();
    const dearer = SOURCE.map((line, i) => ({ ...line, price: i < 2 ? 999 : line.price }));
    const { output } = await answering(json(dearer), async () => {
      const change = { type: 'changed' as const, data: { changes: { rating: 1 } } };
      await deployment.publish([recordOf(listingEvent('b-price', 50, TIME, change))]);
      await deployment.caughtUp();
      return 'y';
    });
    expect(output).to.contain('Published 1 correction. 1 listing has changed meanwhile');
    expect(await events()).to.equal(before + 2);
  });

  it('does not correct a listing whose event waits in the topic', async () => {
    await deployment.caughtUp();
    const dearer = json(SOURCE.map((line, i) => ({ ...line, price: i < 2 ? 777 : line.price })));
    expect((await reconcile(dearer)).json).to.include({ different: 2, changed: 0 });
    await projector.stop();
    const before = await events();
    const change = { type: 'changed' as const, data: { changes: { rating: 3 } } };
    const wait = (id: string, version: number) =>
      deployment.publish([recordOf(listingEvent(id, version, TIME, change))]);
    await wait('a-equal', 900);
    expect((await reconcile(dearer)).json).to.include({ different: 1, changed: 1 });
    const { output } = await answering(dearer, async () => {
      await wait('b-price', 901);
      return 'y';
    });
    expect(output).to.contain('Published 0 corrections. 1 listing has changed meanwhile');
    expect(await subjects()).to.deep.equal([]);
    expect(await events()).to.equal(before + 2);
    projector = await runProjector(deployment);
  });
});
