import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../deployment.ts';
import { compareFeed } from '../equality/compare-feed.ts';
import { type Feed, startFeed } from '../feed-clients.ts';
import { type CliResult, cli, type RunningProjector, runProjector } from '../in-process.ts';
import type { PostgresServer } from '../postgres.ts';
import { metricOf } from '../service-process.ts';
import { startMarketplace } from './marketplace.ts';
import { drainOutbox, loadEverything } from './outbox.ts';

/** The `source` of the relay, whose versions are a sequence. */
export const RELAY = '/marketplace/relay';
const CAUGHT_UP_WITHIN_MS = 240_000;

/** The feed's listings for each mistake. The ids in each group are above those in the previous group. */
export interface Groups {
  clock: string[];
  scheme: string[];
  deleted: string[];
  burned: string;
  bounded: string;
}

/**
 * A marketplace with a database, a relay and the feed, whose team makes the four ordinary mistakes of
 * sources. Its methods make each mistake, look for it with the product's commands, and repair it as the
 * runbook describes.
 */
export class MistakenMarketplace {
  readonly deployment: Deployment;
  readonly groups: Groups;
  readonly #postgres: PostgresServer;
  readonly #feed: Feed;
  readonly #folder: string;
  #projector: RunningProjector;

  private constructor(
    postgres: PostgresServer,
    deployment: Deployment,
    projector: RunningProjector,
    feed: Feed,
    folder: string,
    ids: readonly string[],
  ) {
    this.#postgres = postgres;
    this.deployment = deployment;
    this.#projector = projector;
    this.#feed = feed;
    this.#folder = folder;
    const size = Math.ceil(ids.length / 50);
    this.groups = {
      clock: ids.slice(0, size),
      scheme: ids.slice(size, 2 * size),
      deleted: ids.slice(2 * size, 3 * size),
      burned: ids[3 * size] as string,
      bounded: ids[3 * size + 1] as string,
    };
  }

  /**
   * Starts the marketplace, and loads its feed.
   * @param count number of listings in the database
   * @returns the reason, if PostgreSQL is not available
   */
  static async start(name: string, count: number): Promise<MistakenMarketplace | string> {
    const postgres = await startMarketplace(count);
    if (typeof postgres === 'string') return postgres;
    const deployment = await createDeployment(name, 4);
    const projector = await runProjector(deployment);
    const feed = await startFeed(deployment);
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-mistakes-'));
    await loadEverything(postgres.pool);
    await drainOutbox(postgres.pool, deployment.publish);
    await deployment.caughtUp(CAUGHT_UP_WITHIN_MS);
    const ids = [...(await deployment.items()).keys()].sort();
    return new MistakenMarketplace(postgres, deployment, projector, feed, folder, ids);
  }

  async stop(): Promise<void> {
    await this.#feed.stop();
    await this.#projector.stop();
    await this.deployment.close();
    await this.#postgres.stop();
    await rm(this.#folder, { recursive: true });
  }

  /** Starts the projector again with these settings. */
  async restart(env: Record<string, string>): Promise<void> {
    await this.#projector.stop();
    this.#projector = await runProjector(this.deployment, env);
  }

  caughtUp = (): Promise<void> => this.deployment.caughtUp(CAUGHT_UP_WITHIN_MS);

  /** Changes listings, and publishes them. */
  async change(ids: readonly string[]): Promise<void> {
    await this.#update(ids);
    await this.#drain();
  }

  /** Changes listings, and publishes them with the clock in milliseconds as their version. */
  async changeByClock(ids: readonly string[], source: string): Promise<void> {
    await this.#update(ids);
    await drainOutbox(this.#postgres.pool, (records) =>
      this.deployment.publish(records.map((record) => withVersion(record, source, Date.now()))),
    );
    await this.caughtUp();
  }

  /** Deletes listings in the database without an event. */
  async deleteInSilence(ids: readonly string[]): Promise<void> {
    await this.#postgres.pool.query('DELETE FROM listings WHERE id = ANY($1)', [ids]);
    await this.#postgres.pool.query('DELETE FROM outbox');
  }

  /** Publishes the current content of a listing with the highest version that exists. */
  async burn(id: string): Promise<void> {
    await this.#postgres.pool.query('INSERT INTO outbox (listing_id) VALUES ($1)', [id]);
    await drainOutbox(this.#postgres.pool, (records) =>
      this.deployment.publish(
        records.map((record) => withVersion(record, '/marketplace/batch', Number.MAX_SAFE_INTEGER)),
      ),
    );
    await this.caughtUp();
  }

  /**
   * The repair of versions: the source raises the epoch of the listings, and thereby loads the listings
   * again.
   */
  async raiseEpoch(ids: readonly string[]): Promise<void> {
    await this.#postgres.pool.query(
      `INSERT INTO version_epochs SELECT id, 1 FROM unnest($1::text[]) AS id
       ON CONFLICT (listing_id) DO UPDATE SET epoch = version_epochs.epoch + 1`,
      [ids],
    );
    await this.#drain();
  }

  /** The ids of the listings for which the feed and the database differ. */
  async differing(): Promise<string[]> {
    return (await compareFeed(this.#postgres.pool, this.#feed.base)).map(({ id }) => id);
  }

  /** The ids that `cli -- listings` names. */
  async listed(...list: string[]): Promise<string[]> {
    let stdout = '';
    const code = await runCli(['listings', ...list, '--all', '--json'], {
      env: { ...this.deployment.env, LOG_LEVEL: 'error' },
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: () => undefined },
      signal: new AbortController().signal,
    });
    expect(code, stdout).to.equal(0);
    return idsOf(stdout);
  }

  /** The number of events from the relay that changed nothing. */
  superseded(): Promise<number> {
    return metricOf(this.#projector.admin, 'projector_superseded_total', `source="${RELAY}"`);
  }

  /** The ids for which `cli -- check` gives a warning of this kind. The command names at most 100. */
  async warned(kind: string): Promise<string[]> {
    const { json } = await this.cli('check', '--topic', this.deployment.topic, '--from-beginning');
    const warnings = json.warnings as { kind: string; ids: string[] }[];
    return warnings.find((warning) => warning.kind === kind)?.ids ?? [];
  }

  /** Compares the feed with a dump of the database. @returns the run, and the ids of its report by kind */
  async reconcile(...args: string[]): Promise<CliResult & { ids: Record<string, string[]> }> {
    const [source, report] = [join(this.#folder, 'source.jsonl'), join(this.#folder, 'report.jsonl')];
    const { rows } = await this.#postgres.pool.query<{ line: object }>(
      `SELECT jsonb_build_object('id', id) || (listing - 'availability') AS line
       FROM published_listings ORDER BY id COLLATE "C"`,
    );
    await writeFile(source, rows.map(({ line }) => `${JSON.stringify(line)}\n`).join(''));
    await writeFile(report, '');
    const files = ['--source', source, '--report', report];
    const run = await this.cli('reconcile', ...files, '--settle', '0', ...args);
    const lines = (await readFile(report, 'utf8')).split('\n').slice(0, -1);
    const kinds = Object.groupBy(lines, (line) => (JSON.parse(line) as { kind: string }).kind);
    const ids = Object.entries(kinds).map(([kind, found = []]) => [kind, idsOf(`${found.join('\n')}\n`)]);
    return { ...run, ids: Object.fromEntries(ids) };
  }

  cli(...args: string[]): Promise<CliResult> {
    return cli(this.deployment, args);
  }

  async #update(ids: readonly string[]): Promise<void> {
    await this.#postgres.pool.query('UPDATE listings SET price = price + 1 WHERE id = ANY($1)', [ids]);
  }

  async #drain(): Promise<void> {
    await drainOutbox(this.#postgres.pool, this.deployment.publish);
    await this.caughtUp();
  }
}

/** The record of an event with another source and version. */
function withVersion({ key, value }: Published, source: string, version: number): Published {
  const event = JSON.parse(String(value)) as { data: object };
  return { key, value: JSON.stringify({ ...event, source, data: { ...event.data, version } }) };
}

/** The ids of JSON documents, one per line. */
const idsOf = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { id: string }).id);
