import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dateInSaoPaulo } from '@vitrine/fixtures';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { marketplaceRows } from './dirty-marketplace.ts';
import { MARKETPLACE_SCHEMA } from './marketplace-schema.ts';

/** The producer kit, as teams copy it. */
export const KIT = join(import.meta.dirname, '../../../docs/start/producers');
const SEED = 36;

/** Settings for data that fits in memory, on a machine that also runs the engines. */
const SETTINGS = { shared_buffers: '256MB', max_wal_size: '2GB', jit: 'off' };

export interface MarketplaceOptions {
  /** Settings of postgresql.conf. */
  settings?: Record<string, string>;
  /** Whether the outbox is installed. The default is true. */
  hasOutbox?: boolean;
}

/**
 * Starts a PostgreSQL server with the database of a marketplace that has not published its listings yet.
 * @param count number of listings
 * @returns the reason, if PostgreSQL is not available
 */
export async function startMarketplace(
  count: number,
  { settings = {}, hasOutbox = true }: MarketplaceOptions = {},
): Promise<PostgresServer | string> {
  const postgres = await startPostgres({ settings: { ...SETTINGS, ...settings } });
  if (typeof postgres === 'string') return postgres;
  try {
    await postgres.pool.query(MARKETPLACE_SCHEMA);
    const today = dateInSaoPaulo(new Date());
    for (const { table, lines } of marketplaceRows({ seed: SEED, count, today }))
      await postgres.copy(table, lines);
    await postgres.pool.query('ANALYZE');
    if (hasOutbox) await postgres.pool.query(await readFile(join(KIT, 'outbox.sql'), 'utf8'));
    return postgres;
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
