import { changeNumber, planChanges } from '@vitrine/feed-index';
import type { RequestBudget } from '../../budget/request-budget.ts';
import type { Change } from '../../stored/complete-item.ts';
import { FeedUnavailable, PageTooLarge } from '../search-failure.ts';
import { SharedResource, untilAborted } from '../shared-resource.ts';
import type { ChangesClient, FoundChange, FoundEntries } from './changes-client.ts';
import { type ChangesFilter, needsDetails, noteOf } from './changes-filter.ts';
import { type ChangesView, openChangesView } from './changes-view.ts';
import type { ItemsClient } from './items-client.ts';
import type { KindCounts } from './kind-counts.ts';

/** The client that looks up the items of changes. */
type ItemLookup = Pick<ItemsClient, 'lookUp'>;

/** How long new pages share a view, in milliseconds. */
export const VIEW_LIFETIME_MS = 1_000;
/**
 * Pages do not wait for the next view while the previous one is younger than 1.5 s. After that, they wait,
 * but the next view's refresh can wait for the refreshes of other indices, for example in a rebuild. If the
 * next view takes more than 3 s, pages show the previous view, because a follower that receives 503 falls
 * further behind (docs/decisions/0063-changes-pages.md).
 */
const WHILE_OPENING = { graceMs: 500, patienceMs: 3_000, keptMs: 20_000 };
/** 30 times the refresh interval of the items. */
const SEARCHABLE_AFTER_MS = 30_000;

/**
 * The changes on a page, and the time of their view (`ChangesView.openedAt`), or `expired` if the client must
 * start over.
 */
type ChangesPage =
  | {
      kind: 'page';
      changes: Change[];
      /** Whether the page has as many changes as requested. */
      isFull: boolean;
      /** The change number up to which the page shows all matching changes. */
      upTo: number;
      /** Whether changes may follow `upTo`. */
      mayContinue: boolean;
      /**
       * The counts exist only for a filter with `since`, and only if the live generation's entries have
       * details.
       */
      counts?: KindCounts;
      shownAt: number;
    }
  | { kind: 'expired' };

/** The live generation's entries have no details, because 1.1.0 built the generation. */
export class ChangeDetailsMissing extends FeedUnavailable {
  constructor() {
    super('the live changes index has mapping 1; `replay` and `switch` create one with kinds and places');
    this.name = 'ChangeDetailsMissing';
  }
}

const EMPTY_PAGE = { kind: 'page' as const, changes: [], isFull: false, mayContinue: false };

/** Runs the work for a page within the limit on concurrent pages. @throws Overloaded */
export type Admit = <T>(work: () => Promise<T>) => Promise<T>;

export interface ChangesSearch {
  /**
   * Reads the changes after a change number.
   * @param budget counts the searches for items, and the found items
   * @param admit admits the page as soon as it has a view. Without `admit`, the caller has already admitted
   * the page.
   * @throws FeedUnavailable, Overloaded, PageTooLarge, BudgetExceeded; ChangeDetailsMissing if the filter
   * needs details
   */
  page(
    after: number,
    limit: number,
    signal: AbortSignal,
    budget: RequestBudget,
    filter?: ChangesFilter,
    admit?: Admit,
  ): Promise<ChangesPage>;
  /**
   * Returns the change number from which the client continues after an export that begins now. 0 means the
   * beginning.
   * @throws FeedUnavailable, Overloaded
   */
  exportNumber(signal: AbortSignal): Promise<number>;
  /** Closes the open points in time. The caller must wait for all pages first. */
  close(): Promise<void>;
}

export function createChangesSearch(client: ChangesClient, items: ItemLookup): ChangesSearch {
  const views = new SharedResource<ChangesView>({
    open: () => openChangesView(client),
    close: (view) => view.close(),
    lifetimeMs: VIEW_LIFETIME_MS,
    whileOpening: WHILE_OPENING,
  });

  // All requests that use one view share the number, because HEAD requests are not limited in any other way.
  const numbers = new WeakMap<ChangesView, Promise<number>>();
  const sharedNumber = (view: ChangesView): Promise<number> => {
    const known = numbers.get(view);
    if (known) return known;
    const number = exportNumber(client, view, new AbortController().signal);
    numbers.set(view, number);
    number.catch(() => numbers.delete(view));
    return number;
  };

  const page = async (
    view: ChangesView,
    after: number,
    limit: number,
    signal: AbortSignal,
    budget: RequestBudget,
    filter: ChangesFilter,
  ): Promise<ChangesPage> => {
    const { live, history, checkpoint, openedAt: shownAt } = view;
    const plan = planChanges(live, history, after);
    if (plan.kind === 'expired') return plan;
    let upTo = after;
    for (const segment of plan.segments) {
      const range = { after: segment.after, upTo: segment.upTo ?? checkpoint };
      if (range.after >= range.upTo) continue;
      const pointInTime = await untilAborted(view.pointInTime(segment.generation), signal);
      // Only an older generation's changes index can be missing, because its retention is over.
      if (pointInTime === undefined) return { kind: 'expired' };
      const isLive = segment.upTo === undefined;
      const usesDetails = filter.since !== undefined || needsDetails(filter);
      const hasDetails = usesDetails && (await client.hasDetails(segment.generation));
      if (needsDetails(filter) && !hasDetails) {
        if (isLive) throw new ChangeDetailsMissing();
        return { kind: 'expired' };
      }
      const {
        entries,
        size,
        counts: counted,
      } = await entriesOf(limit, (some) => client.entries(pointInTime, range, some, signal, filter));
      const counts = isLive && hasDetails ? counted : undefined;
      upTo = Math.max(upTo, changeNumber(segment.epoch, range.upTo));
      if (entries.length === 0) {
        if (isLive) return { ...EMPTY_PAGE, upTo, shownAt, ...(counts && { counts }) };
        continue;
      }
      const changes = await changesOf(items, view, segment.epoch, entries, signal, budget, filter);
      const isFull = changes.length === limit;
      const isCut = entries.length === size || changes.length < entries.length;
      return {
        kind: 'page',
        changes,
        isFull,
        upTo: isCut ? (changes.at(-1)?.modified ?? after) : upTo,
        mayContinue: isCut || !isLive,
        ...(counts && { counts }),
        shownAt,
      };
    }
    return { ...EMPTY_PAGE, upTo, shownAt };
  };

  return {
    page: (after, limit, signal, budget, filter = {}, admit = (work) => work()) =>
      views.use((view) => admit(() => page(view, after, limit, signal, budget, filter)), signal),
    exportNumber: (signal) => views.use((view) => untilAborted(sharedNumber(view), signal), signal),
    close: () => views.close(),
  };
}

/**
 * Returns the change number at the checkpoint, but leaves out the entries from the last 30 s, because
 * searches may not show their items yet (docs/decisions/0064-export.md). The 30 s end no later than the last
 * entry, because a projector's clock may be slow.
 */
async function exportNumber(
  client: ChangesClient,
  { live, checkpoint, pointInTime }: ChangesView,
  signal: AbortSignal,
): Promise<number> {
  const opened = await pointInTime(live.generation);
  const lastTime = opened === undefined ? undefined : await client.lastTime(opened, checkpoint, signal);
  if (opened === undefined || lastTime === undefined) return 0;
  const since = Math.min(Date.now(), lastTime) - SEARCHABLE_AFTER_MS;
  const first = await client.firstSince(opened, since, signal);
  const sequence = Math.min(checkpoint, (first ?? checkpoint + 1) - 1);
  return sequence < 0 ? 0 : changeNumber(live.epoch, sequence);
}

/**
 * Reads the first entries in a range. If they are too large for one response, the function requests fewer.
 * Only a high SEARCH_CONCURRENCY makes the limit so small.
 * @returns the entries, and the number that was requested
 */
async function entriesOf(
  limit: number,
  read: (size: number) => Promise<FoundEntries>,
): Promise<FoundEntries & { size: number }> {
  for (let size = limit; ; size = Math.ceil(size / 2))
    try {
      return { ...(await read(size)), size };
    } catch (error) {
      if (!(error instanceof PageTooLarge) || size === 1) throw error;
    }
}

/** Looks up the items of the entries. The page is shorter if its items are too large for one response. */
async function changesOf(
  client: ItemLookup,
  { live }: ChangesView,
  epoch: number,
  entries: readonly FoundChange[],
  signal: AbortSignal,
  budget: RequestBudget,
  filter: ChangesFilter,
): Promise<Change[]> {
  for (let size = entries.length; ; ) {
    const part = entries.slice(0, size);
    try {
      const items = await client.lookUp(
        live.generation,
        part.map(({ id }) => id),
        signal,
        budget,
      );
      return part.map(({ id, sequence, entry }) => {
        const item = items.get(id);
        const state = item ? 'updated' : 'deleted';
        return { id, modified: changeNumber(epoch, sequence), note: noteOf(entry, state, filter), item };
      });
    } catch (error) {
      if (!(error instanceof PageTooLarge) || size === 1) throw error;
      size = Math.ceil(size / 2);
    }
  }
}
