import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '@vitrine/operator';
import { type QueryService, startQueryService } from '@vitrine/query';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../deployment.ts';
import { compareFeed } from '../equality/compare-feed.ts';
import { cli, type RunningProjector, runProjector } from '../in-process.ts';
import type { PostgresServer } from '../postgres.ts';
import { metricOf } from '../service-process.ts';
import { startMarketplace } from './marketplace.ts';
import { eventRecord, OutboxRelay } from './outbox-relay.ts';

const BURNED = Number.MAX_SAFE_INTEGER;
const RELAY = '/marketplace/relay';
const CAUGHT_UP_WITHIN_MS = 240_000;

interface Warning {
  kind: string;
  ids: string[];
}

/**
 * Describes the four mistakes that sources ordinarily make. A test makes each of them with a real database of
 * dirty listings. It then finds the listings with the product's commands, and repairs them as the runbook says.
 * After each repair, the feed equals the database.
 * @param count number of listings in the database
 */
export function describeFourMistakes(count: number): void {
  describe(`four mistakes of a source with ${count.toLocaleString('en')} listings`, () => {
    let postgres: PostgresServer;
    let deployment: Deployment;
    let projector: RunningProjector;
    let query: QueryService;
    let relay: OutboxRelay;
    let folder: string;
    /** The ids of listings that are in the feed, one group for each mistake. */
    let groups: { clock: string[]; scheme: string[]; deleted: string[]; burned: string; bounded: string };

    before(async function () {
      const started = await startMarketplace(count);
      if (typeof started === 'string') {
        process.stderr.write(`# skipped: ${started}\n`);
        return this.skip();
      }
      postgres = started;
      folder = await mkdtemp(join(tmpdir(), 'vitrine-mistakes-'));
      deployment = await createDeployment('mistakes', 4);
      projector = await runProjector(deployment);
      query = await startQueryService(deployment.env, createLog('query', 'silent'));
      relay = new OutboxRelay(postgres.pool, deployment.publish);
      await relay.loadAll();
      await drained(relay);
      const ids = [...(await deployment.items()).keys()].sort();
      const size = Math.ceil(ids.length / 50);
      groups = {
        clock: ids.slice(0, size),
        scheme: ids.slice(size, 2 * size),
        deleted: ids.slice(2 * size, 3 * size),
        burned: ids[3 * size] as string,
        bounded: ids[3 * size + 1] as string,
      };
    });
    after(async () => {
      await projector?.stop();
      await query?.stop();
      await deployment?.close();
      await postgres?.stop();
      if (folder) await rm(folder, { recursive: true });
    });

    const drained = async (from: OutboxRelay) => {
      await from.drain();
      await deployment.caughtUp(CAUGHT_UP_WITHIN_MS);
    };
    const raisePrices = (ids: readonly string[]) =>
      postgres.pool.query('UPDATE listings SET price = price + 1 WHERE id = ANY($1)', [ids]);
    /** The first step of every repair of versions: the source raises its epoch, and loads the listings again. */
    const raiseEpoch = async (ids: readonly string[]) => {
      await postgres.pool.query('UPDATE listings SET version_epoch = version_epoch + 1 WHERE id = ANY($1)', [
        ids,
      ]);
      await drained(relay);
    };
    const differing = async () =>
      (await compareFeed(postgres.pool, `http://127.0.0.1:${query.port}/api`)).map(({ id }) => id);
    /** The ids that a list of the command line names. */
    const listed = async (...list: string[]) => {
      let stdout = '';
      const code = await runCli(['listings', ...list, '--all', '--json'], {
        env: { ...deployment.env, LOG_LEVEL: 'error' },
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: () => undefined },
        signal: new AbortController().signal,
      });
      expect(code, stdout).to.equal(0);
      const entries = stdout.split('\n').slice(0, -1);
      return entries.map((line) => (JSON.parse(line) as { id: string }).id);
    };
    const superseded = () => metricOf(projector.admin, 'projector_superseded_total', `source="${RELAY}"`);

    it('are not yet made: the feed equals the database', async () => {
      expect(await differing()).to.deep.equal([]);
      expect(await listed('--superseded')).to.deep.equal([]);
    });

    it('wall-clock versions beside a sequence are found by source, and repaired by an epoch', async () => {
      const admin = new OutboxRelay(postgres.pool, deployment.publish, {
        source: '/marketplace/admin',
        versions: 'clock',
      });
      await raisePrices(groups.clock);
      await drained(admin);
      expect(await differing(), 'nobody sees the mistake yet').to.deep.equal([]);
      await raisePrices(groups.clock);
      await drained(relay);
      expect(await differing()).to.deep.equal(groups.clock);
      expect(await listed('--superseded', '--source', RELAY)).to.deep.equal(groups.clock);
      // A listing with a long calendar has several events.
      expect(await superseded()).to.be.at.least(groups.clock.length);
      await raiseEpoch(groups.clock);
      expect(await differing()).to.deep.equal([]);
      expect(await listed('--superseded')).to.deep.equal([]);
    });

    it('a version scheme that went down is found, and repaired by an epoch', async () => {
      const before = await superseded();
      await raisePrices(groups.scheme);
      await drained(new OutboxRelay(postgres.pool, deployment.publish, { versions: 'clock' }));
      await raisePrices(groups.scheme);
      await drained(relay);
      expect(await differing()).to.deep.equal(groups.scheme);
      expect(await listed('--source', RELAY)).to.deep.equal(groups.scheme);
      expect((await superseded()) - before).to.be.at.least(groups.scheme.length);
      await raiseEpoch(groups.scheme);
      expect(await differing()).to.deep.equal([]);
    });

    it('both could have been found before they went live, because check warns', async () => {
      const { json } = await cli(deployment, ['check', '--topic', deployment.topic, '--from-beginning']);
      const warning = (json.warnings as Warning[]).find(({ kind }) => kind === 'clock-and-sequence');
      const expected = [...groups.clock, ...groups.scheme];
      expect(warning?.ids.toSorted()).to.have.length(Math.min(100, expected.length));
      expect(expected).to.include.members(warning?.ids ?? []);
    });

    it('deletes without events are extra for reconcile, which removes them', async () => {
      await postgres.pool.query('DELETE FROM listings WHERE id = ANY($1)', [groups.deleted]);
      await postgres.pool.query('DELETE FROM outbox');
      const source = join(folder, 'source.jsonl');
      const { rows } = await postgres.pool.query<{ line: string }>(
        `SELECT jsonb_build_object('id', id) || (listing - 'availability') AS line
         FROM published_listings ORDER BY id COLLATE "C"`,
      );
      await writeFile(source, rows.map(({ line }) => `${JSON.stringify(line)}\n`).join(''));
      expect((await cli(deployment, ['verify', '--self'])).code, 'the index equals its log').to.equal(0);

      const report = join(folder, 'report.jsonl');
      const reconcile = (...args: string[]) =>
        cli(deployment, ['reconcile', '--source', source, '--settle', '0', '--report', report, ...args]);
      const found = await reconcile();
      expect(found.code).to.equal(3);
      expect(found.json).to.include({
        extra: groups.deleted.length,
        missing: 0,
        different: 0,
        equal: rows.length,
      });
      const lines = (await readFile(report, 'utf8')).split('\n').slice(0, -1);
      expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).to.deep.equal(groups.deleted);

      const refused = await reconcile('--publish', '--yes', '--max-removals', '1%');
      expect(refused.json.error).to.include({ kind: 'refused' });
      await deployment.caughtUp(CAUGHT_UP_WITHIN_MS);
      expect(await differing(), 'a refused correction changes nothing').to.deep.equal(groups.deleted);
      await reconcile('--publish', '--yes', '--max-removals', '5%');
      await deployment.caughtUp(CAUGHT_UP_WITHIN_MS);
      expect(await differing()).to.deep.equal([]);
      expect((await reconcile()).code).to.equal(0);
      const { json: status } = await cli(deployment, ['status']);
      expect(status.reconciliation).to.include({ extra: 0, missing: 0, different: 0 });
    });

    /** One event of the listing with its current content and the highest version of all. */
    const burn = async (id: string) => {
      const { rows } = await postgres.pool.query<{ listing: object }>(
        'SELECT listing FROM published_listings WHERE id = $1',
        [id],
      );
      const data = { listing: rows[0]?.listing ?? {} };
      await deployment.publish([
        eventRecord({ source: '/marketplace/batch', type: 'snapshot', id, version: BURNED, data }),
      ]);
      await deployment.caughtUp(CAUGHT_UP_WITHIN_MS);
      await raisePrices([id]);
      await drained(relay);
    };

    it('a burned version is found, and repaired by repair and an epoch', async () => {
      await burn(groups.burned);
      expect(await differing()).to.deep.equal([groups.burned]);
      expect(await listed('--superseded')).to.deep.equal([groups.burned]);
      const repaired = await cli(deployment, ['repair', groups.burned, '--epoch', '--yes']);
      expect(repaired.json, repaired.output).to.include({ epoch: 1, published: true });
      await raiseEpoch([groups.burned]);
      expect(await differing()).to.deep.equal([]);
      await raisePrices([groups.burned]);
      await drained(relay);
      expect(await differing(), 'the listing changes again').to.deep.equal([]);
    });

    it('a burned version never enters with MAX_VERSION', async () => {
      await projector.stop();
      projector = await runProjector(deployment, { MAX_VERSION: 'now+1d' });
      await burn(groups.bounded);
      expect(await differing()).to.deep.equal([]);
      expect(await listed('--dead-letters', 'version-too-high')).to.deep.equal([groups.bounded]);
    });
  });
}
