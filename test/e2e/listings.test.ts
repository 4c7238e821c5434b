import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ErrorOutput, type explainListing, runCli } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';

const MAIN = join(import.meta.dirname, '../../services/operator/src/cli/main.ts');
const COMPLETE = {
  title: 'Casa',
  price: 1,
  location: { city: 'Curitiba' },
  url: 'https://vitrine.example/',
};
const event = (id: string, version: number, type: string, data: object, source = '/test') => ({
  key: id,
  value: JSON.stringify({
    specversion: '1.0',
    id: 'e',
    source,
    type: `marketplace.listing.${type}`,
    subject: id,
    time: '2026-01-01T00:00:00Z',
    data: { version, ...data },
  }),
});
const changed = (id: string, version: number, changes: object = COMPLETE, source?: string) =>
  event(id, version, 'changed', { changes }, source);

/** A value that looks like an option, and names that every object has. */
const ODD = ['__proto__', '-x', 'toString'];
/** The contract refuses these ids, so they occur only as keys of dead letters. */
const REFUSED = ['a\u001b[31m\u202e', "z'\\u0041"];

describe('the lists of listings', () => {
  let deployment: Deployment;
  let projector: RunningProjector;

  before(async () => {
    deployment = await createDeployment('listings', 2);
    await deployment.publish([
      ...['a', 'b'].map((id) => changed(id, 1)),
      ...[5, 3, 1, 4, 2].map((n) => changed(`no-price-${n}`, 1, { ...COMPLETE, price: 0 })),
      changed('drops', 1, { ...COMPLETE, rating: 7, images: ['ftp://a', 'https://a.example/1'] }),
      changed('drops-hidden', 1, { rating: -1 }),
      changed('gone', 6),
      event('gone', 7, 'removed', {}),
      ...ODD.map((id) => changed(id, 1, { ...COMPLETE, title: '' })),
      ...REFUSED.map((id) => changed(id, 1, { ...COMPLETE, title: '' })),
      changed('late', 1_700_000_000_000, { ...COMPLETE, price: 2 }, '/clock'),
      changed('late', 5, { price: 3 }, '/relay'),
      changed('late', 6, { price: 4 }, '/relay'),
      changed('late', 6, { price: 4 }, '/other\u202e'),
      changed('later', 9),
      changed('later', 5, { price: 3 }, '/relay'),
      changed('later', 10, { price: 5 }, '/relay'),
      { key: 'a', value: '{"source":"/old","data":1' },
      { key: 'a', value: '{"source":"/old","data":1}' },
      { key: 'dead', value: '[]' },
      { ...changed('__proto__', -1, COMPLETE, '/old\u202e'), key: '__proto__' },
      { key: null, value: '[]' },
    ]);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
  });
  after(async () => {
    await projector?.stop();
    await deployment?.close();
  });

  const run = async (
    args: readonly string[],
    signal = new AbortController().signal,
    command = 'listings',
    onProgress?: () => void,
  ) => {
    let stdout = '';
    let stderr = '';
    const code = await runCli([command, ...args], {
      env: { ...deployment.env, LOG_LEVEL: 'error' },
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      signal,
      ...(onProgress && { onProgress }),
    });
    return { code, stdout, stderr };
  };
  /** The documents that `--json` prints, one per line. */
  const listed = async (...args: string[]) => {
    const { code, stdout } = await run([...args, '--json']);
    expect(code, stdout).to.equal(0);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, string>);
  };
  const idsOf = async (...args: string[]) => (await listed(...args)).map(({ id }) => id);

  describe('--hidden', () => {
    it('names every hidden listing with its reason, in ascending order of the ids', async () => {
      expect(await listed('--hidden')).to.deep.equal(
        [
          ...ODD.map((id) => ({
            id,
            reason: 'title',
            detail: 'title (missing, or empty without markup)',
          })),
          { id: 'drops-hidden', reason: 'title', detail: 'title (missing, or empty without markup)' },
          { id: 'gone', reason: 'removed', detail: 'removed at version 7' },
          ...[1, 2, 3, 4, 5].map((n) => ({
            id: `no-price-${n}`,
            reason: 'price',
            detail: 'price (no price above 0)',
          })),
        ].sort((one, other) => Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))),
      );
      expect(await idsOf('--hidden', 'removed')).to.deep.equal(['gone']);
      expect(await idsOf('--hidden', 'price', '--containing', '-4')).to.deep.equal(['no-price-4']);
    });

    it('has pages that lead to each other', async () => {
      const first = await run(['--hidden', 'price', '--limit', '2']);
      expect(first.stdout).to.match(/^5 listings are hidden \(reason price\)\n/);
      expect(first.stdout).to.contain('no-price-2').and.not.to.contain('no-price-3 ');
      expect(first.stdout).to.match(
        /Next page: npm run cli -- listings --hidden=price --limit=2 --after=no-price-2\n$/,
      );
      expect(await idsOf('--hidden', 'price', '--limit', '2', '--after', 'no-price-2')).to.deep.equal([
        'no-price-3',
        'no-price-4',
      ]);
      const last = await run(['--hidden', 'price', '--after', 'no-price-4']);
      expect(last.stdout).to.contain('no-price-5').and.not.to.contain('Next page');
      expect(await idsOf('--hidden', '--all')).to.have.length(10);
    });

    it('is empty without hidden listings', async () => {
      expect(await run(['--hidden', 'url'])).to.include({
        code: 0,
        stdout: 'No listing is hidden (reason url)\n',
      });
      expect(await run(['--hidden', 'url', '--json'])).to.include({ code: 0, stdout: '' });
    });
  });

  describe('--dropped', () => {
    it('names every listing with the members that its item lacks, including hidden listings', async () => {
      const found = await listed('--dropped');
      expect(found.map(({ id, member }) => [id, member])).to.deep.equal([
        ['drops', 'rating'],
        ['drops', 'images'],
        ['drops-hidden', 'rating'],
      ]);
      expect(found[0]?.detail).to.equal('7 is not between 0 and 5');
      expect((await listed('--dropped', 'images')).map(({ id, member }) => [id, member])).to.deep.equal([
        ['drops', 'images'],
      ]);
      // The limit counts listings, and a page never divides a listing.
      expect(await listed('--dropped', '--limit=1')).to.have.length(2);
      expect((await run(['--dropped', 'provider'])).stdout).to.equal(
        'No listing has dropped members (member provider)\n',
      );
    });
  });

  describe('--superseded', () => {
    const DETAIL =
      'version 6 at 2026-01-01T00:00:00.000Z changed nothing, because `price` has version 1,700,000,000,000';

    it('names the newest ignored event of each source, until a later event of the source takes effect', async () => {
      expect(await listed('--superseded')).to.deep.equal([
        { id: 'late', source: '/other\u202e', detail: DETAIL },
        { id: 'late', source: '/relay', detail: DETAIL },
      ]);
      expect((await run(['--superseded'])).stdout)
        .to.match(/^1 listing has ignored events\n/)
        .and.contain('\\u202e');
    });

    it('can be limited to a source, which alone means the same', async () => {
      const one = [{ id: 'late', source: '/relay', detail: DETAIL }];
      expect(await listed('--superseded', '--source', '/relay')).to.deep.equal(one);
      expect(await listed('--source', '/relay')).to.deep.equal(one);
      expect((await run(['--source', '/never'])).stdout).to.equal(
        'No listing has ignored events (source /never)\n',
      );
    });

    it('is part of the explanation of a listing, beside the dropped members and the history', async () => {
      const { stdout } = await run(['late', '--history'], undefined, 'explain');
      expect(stdout).to.contain(`ignored event of source /relay: ${DETAIL}`);
      expect(stdout).to.contain('History: 4 records in the events topic').and.contain('1700000000000');
      const explained = await run(['late', '--history', '--json'], undefined, 'explain');
      const { history } = JSON.parse(explained.stdout) as Awaited<ReturnType<typeof explainListing>>;
      expect(
        history?.newest.map(({ version, inEffect }) => [version, inEffect]),
        'what the state holds from each event',
      ).to.have.deep.members([
        [1_700_000_000_000, Object.keys(COMPLETE)],
        [5, []],
        [6, []],
        [6, []],
      ]);
      const dropping = await run(['drops', '--json'], undefined, 'explain');
      const [generation] = (JSON.parse(dropping.stdout) as Awaited<ReturnType<typeof explainListing>>)
        .generations;
      expect(generation?.dropped?.map(({ member }) => member)).to.deep.equal(['rating', 'images']);
      expect(generation).not.to.have.property('ignored');
      expect((await run(['drops'], undefined, 'explain')).stdout).to.contain(
        'the rules left out rating: 7 is not between 0 and 5',
      );
    });
  });

  describe('--dead-letters', () => {
    it('names every listing with dead letters, its newest reason, and their number', async () => {
      const found = await listed('--dead-letters');
      expect(found.map(({ id, reason }) => [id, reason])).to.deep.equal([
        ['__proto__', 'schema'],
        ['a', 'schema'],
        ['a\u001b[31m\u202e', 'schema'],
        ['dead', 'not-an-object'],
        ["z'\\u0041", 'schema'],
      ]);
      expect(found[1]?.detail).to.match(/^2 dead letters, newest \d:\d+: /);
      expect(found[3]?.detail).to.match(/^dead letter \d:\d+: the value is JSON but not an object$/);
      expect(await idsOf('--dead-letters', 'not-json')).to.deep.equal(['a']);
      expect(await idsOf('--dead-letters', '--limit', '1', '--after', '__proto__')).to.deep.equal(['a']);
      expect((await run(['--dead-letters', '--limit=1'])).stdout).to.match(/--after=__proto__\n$/);
    });

    it('never lets an id control the terminal', async () => {
      for (const args of [['--dead-letters'], ['--dead-letters', '--json']]) {
        const { stdout } = await run(args);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
        expect(stdout).not.to.match(/[\u001b\u202e]/);
        expect(stdout).to.contain('\\u202e');
      }
    });

    it('finds the source that a refused record names', async () => {
      expect(await idsOf('--dead-letters', '--source', '/old')).to.deep.equal(['a']);
      expect(await idsOf('--dead-letters', '--source', '/old\u202e')).to.deep.equal(['__proto__']);
      expect(await idsOf('--dead-letters', '--source', '/never')).to.deep.equal([]);
    });
  });

  it('are refused with a usage error that names the valid words', async () => {
    for (const [args, words] of [
      [[], /--hidden.*--dropped.*--superseded.*--dead-letters.*required/],
      [['--superseded', '--dead-letters'], /cannot be used with/],
      [['--hidden', 'ugly'], /removed, title, price, location, url/],
      [['--dropped', 'title'], /rating.*availability/],
      [['--dead-letters', 'ugly'], /not-json.*listing-failed/],
      [['--hidden', '--dead-letters'], /cannot be used with/],
      [['--hidden', '--source', '/test'], /cannot be used with/],
      [['--hidden', '--all', '--limit', '1'], /cannot be used with/],
    ] as const) {
      const { code, stdout } = await run([...args, '--json']);
      expect(code).to.equal(2);
      expect((JSON.parse(stdout) as ErrorOutput).error.message).to.match(words);
    }
  });

  it('end at an interruption', async () => {
    for (const list of ['--hidden', '--dropped', '--superseded', '--dead-letters']) {
      const { code, stdout } = await run([list, '--json'], AbortSignal.timeout(1));
      expect(code, list).to.equal(130);
      expect(JSON.parse(stdout)).to.deep.equal({ error: { kind: 'interrupted', message: 'interrupted' } });
    }
    const interruption = new AbortController();
    const { code } = await run(['--dead-letters'], interruption.signal, 'listings', () =>
      interruption.abort(),
    );
    expect(code, 'in the middle of the topic').to.equal(130);
    const groups = await deployment.admin.listGroups();
    expect(groups.filter((group) => group.includes(`${deployment.prefix}-group-cli-`))).to.deep.equal([]);
  });

  it('end without a message when the reader of the list is gone', async () => {
    const child = spawn(process.execPath, [MAIN, 'listings', '--hidden', '--all'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...deployment.env, LOG_LEVEL: 'error' },
    });
    child.stdout.destroy();
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).to.equal(141);
    expect(errors).not.to.match(/EPIPE|rror/);
  });
});
