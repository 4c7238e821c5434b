import { type Client, errors } from '@elastic/elasticsearch';
import { type ReconciliationRecord, registryIndex } from '@vitrine/feed-index';
import { readRegistry } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { readPendingKeys } from '../records/pending-records.ts';
import type { ReportedDifference } from './check-candidates.ts';
import { unchangedCorrections } from './corrections/apply-corrections.ts';
import type { StoredCorrection } from './corrections/corrections.ts';
import { readLineFile } from './files/line-file.ts';

/**
 * The rows of the last complete comparison: the first differences in ascending byte order of id, and their
 * corrections. They stay until the next comparison, so that the console can show them on another machine.
 */
interface RecordedRows {
  /** The end of the run, as the registry records it. */
  at: string;
  /** The generation that was live during the comparison. */
  generation: number;
  differences: ReportedDifference[];
  /** Why the corrections must not be applied. There are then no corrections. */
  refusal?: string;
  corrections: StoredCorrection[];
}

/** The last comparison, as the command `reconciliation` prints it. */
export interface LastReconciliation extends ReconciliationRecord {
  /**
   * The first rows, which are absent if an earlier release made the comparison, or if the comparison could
   * not store them.
   */
  rows?: ReportedDifference[];
  /** The number of rows that an event can correct. */
  correctable?: number;
  /** Why the comparison keeps no corrections, if they would remove too many items. */
  refusal?: string;
}

export const MAX_ROWS = 1_000;
/** A listing with a long calendar takes hundreds of kilobytes. */
const MAX_BYTES = 4 * 1024 * 1024;
/**
 * The id of a document in the registry's index. The document is there because existing roles allow access to
 * this index. The mapping has one member, which is not indexed.
 */
const ID = 'reconciliation';
const CORRECTIONS_PER_READ = 100;

/** Collects rows until their number or size reaches its limit. */
export class FirstRows<T> {
  readonly rows: T[] = [];
  #bytes = 0;

  /** @returns whether the row was added */
  add(row: T): boolean {
    if (this.rows.length === MAX_ROWS) return false;
    this.#bytes += Buffer.byteLength(JSON.stringify(row));
    if (this.#bytes > MAX_BYTES) return false;
    this.rows.push(row);
    return true;
  }
}

/** The first corrections in a file. @throws file system errors */
async function firstCorrections(path: string): Promise<StoredCorrection[]> {
  const first = new FirstRows<StoredCorrection>();
  for await (const page of readLineFile<StoredCorrection>(path))
    for (const correction of page) if (!first.add(correction)) return first.rows;
  return first.rows;
}

/**
 * Replaces the rows of the last comparison. If Elasticsearch does not store them, the failure is only logged,
 * because the comparison is complete without them.
 * @param path the file of its corrections
 * @throws file system errors
 */
export async function recordRows(
  { client, settings, log }: Pick<CommandContext, 'client' | 'settings' | 'log'>,
  rows: Omit<RecordedRows, 'corrections'>,
  path: string,
): Promise<void> {
  const corrections = rows.refusal === undefined ? await firstCorrections(path) : [];
  const registry: RecordedRows = { ...rows, corrections };
  await client
    .index({ index: registryIndex(settings.INDEX_PREFIX), id: ID, document: { registry } })
    .catch((err: unknown) => log.warn({ err }, 'could not store the rows of the comparison'));
}

async function readRows(client: Client, prefix: string): Promise<RecordedRows | undefined> {
  try {
    const { _source } = await client.get<{ registry: RecordedRows }>({
      index: registryIndex(prefix),
      id: ID,
    });
    return _source?.registry;
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 404) return undefined;
    throw error;
  }
}

/** Reads the last comparison. Returns undefined before the first one. @throws ElasticsearchClientError */
export async function lastReconciliation({
  client,
  settings,
}: CommandContext): Promise<LastReconciliation | undefined> {
  const prefix = settings.INDEX_PREFIX;
  const [registry, rows] = await Promise.all([readRegistry(client, prefix), readRows(client, prefix)]);
  const record = registry?.reconciliation;
  if (!record) return undefined;
  if (rows?.at !== record.at) return record;
  const { differences, corrections, refusal } = rows;
  return {
    ...record,
    rows: differences,
    correctable: corrections.length,
    ...(refusal !== undefined && { refusal }),
  };
}

/**
 * Returns the correcting events for the recorded rows, except those for listings that have changed since, or
 * whose events wait in the topic.
 * @throws GenerationError if another generation became live after the comparison; the signal's reason;
 * MissingTopicError; KafkaError; ElasticsearchClientError
 */
export async function* lastCorrections(context: CommandContext): AsyncGenerator<StoredCorrection['event'][]> {
  const { client, settings } = context;
  const recorded = await lastReconciliation(context);
  const rows = recorded?.rows && (await readRows(client, settings.INDEX_PREFIX));
  if (!rows || rows.corrections.length === 0) return;
  const corrected = new Set(rows.corrections.map(({ event }) => event.subject));
  const pending = new Set<string>();
  await readPendingKeys(context, rows.generation, (id) => {
    if (corrected.has(id)) pending.add(id);
  });
  for (let from = 0; from < rows.corrections.length; from += CORRECTIONS_PER_READ) {
    const batch = rows.corrections.slice(from, from + CORRECTIONS_PER_READ);
    const unchanged = await unchangedCorrections(context, batch, rows.generation, (id) => pending.has(id));
    yield unchanged.map(({ event }) => event);
  }
}
