import { type LiveChanges, splitChangeNumber } from '@vitrine/feed-index';
import { expect } from 'chai';
import fc from 'fast-check';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../../budget/request-budget.ts';
import type { ChangesClient, EntryRange } from './changes-client.ts';
import { createChangesSearch } from './changes-search.ts';
import type { ItemsClient } from './items-client.ts';

const LIVE: LiveChanges = { epoch: 1, generation: 1 };
const LISTINGS = 4;
const LIMIT = 3;
const { signal } = new AbortController();

/**
 * A changes index of one shard. As in Elasticsearch, a write receives its sequence number before it is
 * acknowledged, so a later write may become searchable earlier.
 */
class Shard {
  /** The content of each item. A removed listing has none. */
  readonly items = new Map<string, number>();
  readonly #writes: { id: string; isDone: boolean }[] = [];
  /** The sequence numbers that a search shows, by id. */
  #searchable = new Map<string, number>();
  #count = 0;

  /** Writes or removes an item, and begins to write its entry. */
  write(listing: number, isRemoved: boolean): void {
    const id = `l-${listing}`;
    if (isRemoved) this.items.delete(id);
    else this.items.set(id, ++this.#count);
    this.#writes.push({ id, isDone: false });
  }

  /** Acknowledges one of the entries that are under way. Writes to the same document wait for each other. */
  acknowledge(choice: number): void {
    const pending = this.#writes.filter(({ isDone }) => !isDone);
    const first = pending.filter((write) => pending.find(({ id }) => id === write.id) === write);
    const one = first[choice % first.length];
    if (one) one.isDone = true;
  }

  acknowledgeAll(): void {
    for (const write of this.#writes) write.isDone = true;
  }

  refresh(): void {
    this.#searchable = new Map(
      this.#writes.flatMap(({ id, isDone }, sequence): [string, number][] =>
        isDone ? [[id, sequence]] : [],
      ),
    );
  }

  get checkpoint(): number {
    const pending = this.#writes.findIndex(({ isDone }) => !isDone);
    return (pending < 0 ? this.#writes.length : pending) - 1;
  }

  get searchable(): Map<string, number> {
    return this.#searchable;
  }
}

/** Both clients in one object, on the same shard. */
type FakeClient = ChangesClient & Pick<ItemsClient, 'lookUp'>;

/** @param step runs before each request, because other processes write between the requests */
function clientOf(shard: Shard, step: () => void): FakeClient {
  const opened: Map<string, number>[] = [];
  const request = <T>(answer: () => T): Promise<T> => {
    step();
    return Promise.resolve(answer());
  };
  const client = {
    live: () => request(() => LIVE),
    history: () => request(() => ({ transitions: [], kept: [] })),
    checkpoint: () => request(() => shard.checkpoint),
    refresh: () => request(() => shard.refresh()).then(() => true),
    openChanges: () => request(() => String(opened.push(shard.searchable) - 1)),
    close: async () => undefined,
    entries: (pointInTime: string, { after, upTo }: EntryRange, size: number) =>
      request(() => ({
        entries: [...(opened[Number(pointInTime)] ?? [])]
          .map(([id, sequence]) => ({ id, sequence, entry: { state: 'updated', at: 0 } }))
          .filter(({ sequence }) => sequence > after && sequence <= upTo)
          .sort((a, b) => a.sequence - b.sequence)
          .slice(0, size),
      })),
    lookUp: (_: number, ids: string[]) =>
      request(
        () =>
          new Map(
            ids.flatMap((id) => {
              const content = shard.items.get(id);
              return content === undefined ? [] : [[id, { id, data: [Buffer.from(String(content))] }]];
            }),
          ),
      ),
  };
  return client as unknown as FakeClient;
}

/** Follows the changes by one page. @returns the new change number */
async function followPage(client: FakeClient, after: number, copy: Map<string, number>): Promise<number> {
  // A new search has a new view, as an existing search has after a second.
  const search = createChangesSearch(client, client);
  const page = await search.page(after, LIMIT, signal, new RequestBudget(PAGE_LIMITS, new SharedMemory(1e9)));
  await search.close();
  if (page.kind === 'expired') throw new Error('expired');
  for (const { id, modified, item } of page.changes) {
    expect(splitChangeNumber(modified).epoch).to.equal(LIVE.epoch);
    if (item) copy.set(id, Number(item.data[0]));
    else copy.delete(id);
  }
  return page.changes.at(-1)?.modified ?? after;
}

type Step =
  | { kind: 'write'; listing: number; isRemoved: boolean }
  | { kind: 'acknowledge'; choice: number }
  | { kind: 'refresh' }
  | { kind: 'wait' };

const aWrite = fc.record({
  kind: fc.constant('write' as const),
  listing: fc.nat(LISTINGS - 1),
  isRemoved: fc.boolean(),
});
const anAcknowledgement = fc.record({ kind: fc.constant('acknowledge' as const), choice: fc.nat(3) });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: aWrite, weight: 3 },
  { arbitrary: anAcknowledgement, weight: 3 },
  { arbitrary: fc.constant<Step>({ kind: 'refresh' }), weight: 1 },
  { arbitrary: fc.constant<Step>({ kind: 'wait' }), weight: 1 },
);
/** The first write's entry is acknowledged after a page's point in time has missed it. */
const LATE_ENTRY: Step[] = [
  { kind: 'write', listing: 0, isRemoved: false },
  { kind: 'write', listing: 1, isRemoved: false },
  { kind: 'acknowledge', choice: 1 },
  { kind: 'refresh' },
  { kind: 'acknowledge', choice: 0 },
];

describe('a follower of the changes', function () {
  this.timeout(60_000);

  it('misses nothing, although entries become searchable in another order than they are numbered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
        const shard = new Shard();
        const copy = new Map<string, number>();
        const left = [...steps];
        const client = clientOf(shard, () => {
          const step = left.shift();
          if (step?.kind === 'write') shard.write(step.listing, step.isRemoved);
          if (step?.kind === 'acknowledge') shard.acknowledge(step.choice);
          if (step?.kind === 'refresh') shard.refresh();
        });
        let position = 0;
        while (left.length > 0) position = await followPage(client, position, copy);
        shard.acknowledgeAll();
        shard.refresh();
        for (let before = -1; before !== position; ) {
          before = position;
          position = await followPage(client, position, copy);
        }
        expect(copy).to.deep.equal(shard.items);
      }),
      { numRuns: 300, examples: [[LATE_ENTRY]] },
    );
  });
});
