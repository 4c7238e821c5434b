import type { Client, estypes } from '@elastic/elasticsearch';
import type { ChangeDetails, Generation, ItemDocument } from '@vitrine/feed-index';
import { deriveSafely, type Rules, withoutPlace } from '@vitrine/listing';
import { type DeadLetter, listingDeadLetter } from '@vitrine/projection/dead-letters';
import {
  type BulkEntry,
  bulkLimit,
  changeEntry,
  detailsOf,
  itemEntry,
  type ScannedState,
  type StateDocument,
  writeBulk,
} from '@vitrine/projection/store';
import type { Log } from '@vitrine/runtime/log';
import type { Admission } from './admission.ts';
import { retryAndLog } from './retry-and-log.ts';
import type { SharedScan } from './shared-scan.ts';
import { SlicePages } from './slice-pages.ts';

export interface DeriveOptions {
  client: Client;
  /** The states index to read. */
  source: string;
  target: Generation;
  /** Whether the mapping of the target's changes index has members for the details of entries. */
  hasDetails: boolean;
  /** The rules, with items in the form of the target's index. */
  rules: Rules<ItemDocument>;
  /** Whether to copy the states to the target too, with their revisions. */
  copyStates: boolean;
  /** The slices of the states that this builder processes. */
  scan: SharedScan;
  admission: Admission;
  /** Confirms the lease before each bulk request. Rejects if another builder may have taken over. */
  confirmLease(): Promise<void>;
  /** Sends a dead letter for each of a page's listings that cannot become an item. */
  sendDeadLetters(deadLetters: readonly DeadLetter[]): Promise<void>;
  log: Log;
  signal: AbortSignal;
  /** Reports the end of each page. */
  onProgress(): void;
}

/** While Elasticsearch writes one page, the builder reads and derives other pages. */
const PAGES_AT_ONCE = 3;

/**
 * Derives the items of a generation from the source's states, at the revisions of these states, together with
 * the other builders. Nothing deletes documents of the generation meanwhile, so a repetition does no harm.
 * Resolves when all slices of all builders are done.
 * @throws the signal's reason; GenerationError; DeadLetterTopicError; ElasticsearchClientError
 */
export async function deriveGeneration(given: DeriveOptions): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([given.signal, failed.signal]);
  const options = { ...given, signal };
  const pages = new SlicePages(options);
  const work = async () => {
    for (let page = await pages.take(); page; page = await pages.take()) {
      const { states } = page;
      const release = await options.admission.admit(states.length, signal);
      try {
        signal.throwIfAborted();
        await retryAndLog(() => writePage(options, states), options.log, signal);
      } finally {
        release();
      }
      pages.finish(page);
      options.onProgress();
    }
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, work)).catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  signal.throwIfAborted();
}

/** Writes a page. A listing that fails becomes a dead letter and does not stop the other listings. */
async function writePage(options: DeriveOptions, states: readonly ScannedState[]): Promise<void> {
  const { client, target, hasDetails, rules, copyStates, signal, confirmLease, sendDeadLetters } = options;
  const failed = new Map<string, string>();
  const visible: { id: string; revision: number; details: Partial<ChangeDetails> }[] = [];
  const at = Date.now();
  let entries: BulkEntry[] = [];
  let bytes = 0;
  const flush = async () => {
    const results = await writeBulk(client, entries, { signal, beforeRequest: confirmLease });
    for (const [i, { outcome, item }] of results.entries()) {
      if (outcome !== 'rejected') continue;
      const { action } = entries[i] as BulkEntry;
      const [target] = Object.values<estypes.BulkOperationBase>({ ...action });
      failed.set(
        target?._id as string,
        `${target?._index} refused the document: ${item.error?.type}: ${item.error?.reason}`,
      );
    }
    entries = [];
    bytes = 0;
  };
  const add = async (entry: BulkEntry) => {
    const size = 200 + (entry.document?.length ?? 0);
    if (entries.length > 0 && bytes + size > bulkLimit(client)) await flush();
    entries.push(entry);
    bytes += size;
  };
  for (const { id, revision, document } of states) {
    const { hidden, item, failure } = deriveSafely(rules, id, document.state);
    if (failure !== undefined) failed.set(id, failure);
    if (copyStates) {
      const state = withoutPlace(document.state);
      const copy: StateDocument = hidden ? { hidden, state } : { state };
      const at = {
        _index: target.statesWriter,
        _id: id,
        version: revision,
        version_type: 'external_gte' as const,
      };
      await add({ action: { index: at }, document: JSON.stringify(copy) });
    }
    if (!item) continue;
    await add(itemEntry(target, id, JSON.stringify(item), revision));
    visible.push({ id, revision, details: hasDetails ? detailsOf(document.state, item, at) : {} });
  }
  if (entries.length > 0) await flush();
  entries = visible
    .filter(({ id }) => !failed.has(id))
    .map(({ id, revision, details }) =>
      changeEntry(target, id, { state: 'updated', at, ...details }, revision),
    );
  if (entries.length > 0) await flush();
  const deadLetters = states.flatMap(({ id, revision, document }) => {
    const detail = failed.get(id);
    return detail === undefined
      ? []
      : [listingDeadLetter({ index: target.states, id, revision, state: document.state }, detail)];
  });
  if (deadLetters.length > 0) await sendDeadLetters(deadLetters);
}
