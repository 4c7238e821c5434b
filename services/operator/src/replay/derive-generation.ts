import type { Client } from '@elastic/elasticsearch';
import type { AnyItemDocument, Generation } from '@vitrine/feed-index';
import { deriveSafely, type Rules } from '@vitrine/listing';
import { type DeadLetter, listingDeadLetter } from '@vitrine/projection/dead-letters';
import {
  type BulkEntry,
  countStates,
  itemEntry,
  MAX_BULK_BYTES,
  rangesOf,
  type ScannedState,
  type StateDocument,
  type StatePage,
  scanShard,
  writeBulk,
} from '@vitrine/projection/store';
import type { Log } from '@vitrine/runtime/log';
import type { Admission } from './admission.ts';
import { retryAndLog } from './retry-and-log.ts';

export interface DeriveOptions {
  client: Client;
  /** The states index to read. */
  source: string;
  target: Generation;
  /** The rules, with items in the form of the target's index. */
  rules: Rules<AnyItemDocument>;
  /** Whether to copy the states to the target too, with their revisions. */
  copyStates: boolean;
  /** For each shard of the source, the last sequence number that an interrupted run finished. */
  scanned: Readonly<Record<string, number>>;
  admission: Admission;
  /** Called before each bulk request. Rejects if another builder may have taken over. */
  confirmLease(): Promise<void>;
  /** Called with a dead letter for each listing of a page that cannot become an item. */
  sendDeadLetters(deadLetters: readonly DeadLetter[]): Promise<void>;
  log: Log;
  signal: AbortSignal;
  /** @param scanned the last finished sequence number of each shard, from which a later run continues */
  onProgress(done: number, total: number, scanned: Record<string, number>): void;
}

/**
 * Maximum number of pages in progress. While Elasticsearch writes one page, the builder reads and derives
 * other pages.
 */
const PAGES_AT_ONCE = 3;

/**
 * Derives all items of a generation from the states of the source. The items have the revisions of the
 * states. No other process may write to the generation during the call. The function is idempotent.
 * @throws the signal's reason; DeadLetterTopicError; the client's errors
 */
export async function deriveGeneration(given: DeriveOptions): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([given.signal, failed.signal]);
  const options = { ...given, signal };
  const { client, source, log } = options;
  const ranges = await retryAndLog(() => rangesOf(client, source, options.scanned), log, signal);
  const total = await retryAndLog(() => countStates(client, source, ranges), log, signal);
  const scanned = Object.fromEntries(ranges.map(({ shard, after }) => [shard, after]));
  let done = 0;
  options.onProgress(done, total, scanned);
  for (const range of ranges) {
    const underWay = new Set<StatePage>();
    let last = range.after;
    let rest = range;
    let pages = scanShard(client, source, rest, signal);
    /** Reads the next page. After an error, the scan continues after the last returned page. */
    const next = () =>
      retryAndLog(
        async () => {
          try {
            return await pages.next();
          } catch (error) {
            pages = scanShard(client, source, rest, signal);
            throw error;
          }
        },
        log,
        signal,
      );
    let reading: Promise<unknown> = Promise.resolve();
    /** Reads one page at a time, although several workers request pages. */
    const takePage = async (): Promise<StatePage | undefined> => {
      const page = reading.then(next);
      reading = page.catch(() => undefined);
      const { value, done: isOver } = await page;
      if (isOver || !value) return undefined;
      rest = { ...range, after: value.last };
      underWay.add(value);
      last = value.last;
      return value;
    };
    const work = async () => {
      for (let page = await takePage(); page; page = await takePage()) {
        const { states } = page;
        const release = await options.admission.admit(states.length, signal);
        try {
          signal.throwIfAborted();
          await retryAndLog(() => writePage(options, states), log, signal);
        } finally {
          release();
        }
        underWay.delete(page);
        done += states.length;
        scanned[range.shard] = Math.min(last, ...[...underWay].map(({ after }) => after));
        options.onProgress(done, total, { ...scanned });
      }
    };
    await Promise.all(Array.from({ length: PAGES_AT_ONCE }, work)).catch((error: unknown) => {
      failed.abort();
      throw error;
    });
  }
  signal.throwIfAborted();
}

/** Writes a page. A listing that fails becomes a dead letter and does not affect other listings. */
async function writePage(options: DeriveOptions, states: readonly ScannedState[]): Promise<void> {
  const { client, target, rules, copyStates, signal, confirmLease, sendDeadLetters } = options;
  const failed = new Map<string, string>();
  let entries: BulkEntry[] = [];
  let bytes = 0;
  const flush = async () => {
    await confirmLease();
    const results = await writeBulk(client, entries, signal);
    for (const { outcome, item } of results)
      if (outcome === 'rejected')
        failed.set(
          item._id as string,
          `${item._index} rejected the document: ${item.error?.type}: ${item.error?.reason}`,
        );
    entries = [];
    bytes = 0;
  };
  const add = async (entry: BulkEntry) => {
    const size = 200 + (entry.document?.length ?? 0);
    if (entries.length > 0 && bytes + size > MAX_BULK_BYTES) await flush();
    entries.push(entry);
    bytes += size;
  };
  for (const { id, revision, document } of states) {
    const { hidden, item, failure } = deriveSafely(rules, id, document.state);
    if (failure !== undefined) failed.set(id, failure);
    if (copyStates) {
      const copy: StateDocument = hidden ? { hidden, state: document.state } : { state: document.state };
      const at = {
        _index: target.statesWriter,
        _id: id,
        version: revision,
        version_type: 'external_gte' as const,
      };
      await add({ action: { index: at }, document: JSON.stringify(copy) });
    }
    if (item) await add(itemEntry(target, id, JSON.stringify(item), revision));
  }
  if (entries.length > 0) await flush();
  const deadLetters = states.flatMap(({ id, revision, document }) => {
    const detail = failed.get(id);
    return detail === undefined
      ? []
      : [listingDeadLetter({ index: target.states, id, revision, state: document.state }, detail)];
  });
  if (deadLetters.length > 0) await sendDeadLetters(deadLetters);
}
