import { expect } from 'chai';
import fc from 'fast-check';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../../budget/request-budget.ts';
import { FeedUnavailable, PageTooLarge } from '../search-failure.ts';
import { exportItems } from './export-search.ts';
import type { ItemsClient } from './items-client.ts';

const { signal } = new AbortController();
const ids = (count: number) => Array.from({ length: count }, (_, i) => `l-${String(i).padStart(5, '0')}`);

/**
 * A client for these items. Each of the next searches throws one of `failures`.
 * @param enumerated the ids that Elasticsearch enumerates
 */
function clientOn(items: readonly string[], failures: Error[] = [], enumerated = items) {
  const calls: string[] = [];
  const memory = new SharedMemory(1e9);
  const newBudget = () => new RequestBudget(PAGE_LIMITS, memory);
  const fake = {
    maxItems: Number.POSITIVE_INFINITY,
    enumerations: 0,
    open: async () => `p${calls.push('open')}`,
    close: async () => void calls.push('close'),
    /** The number of items that the largest search visited. */
    visited: 0,
    async idsAfter(after: string, size: number, _: AbortSignal, budget: RequestBudget) {
      budget.search();
      fake.enumerations++;
      return enumerated.filter((id) => id > after).slice(0, size);
    },
    async slice(
      _: string,
      { after = '', upTo = '~' }: { after?: string; upTo?: string },
      size: number,
      _end: AbortSignal,
      budget: RequestBudget,
    ) {
      calls.push(`${after || 'start'} ${size}`);
      budget.search();
      const failure = failures.shift();
      if (failure) throw failure;
      if (size > fake.maxItems) throw new PageTooLarge(fake.maxItems, 1);
      budget.found(100);
      const inRange = items.filter((id) => id > after && id <= upTo);
      fake.visited = Math.max(fake.visited, inRange.length);
      const found = inRange.slice(0, size);
      return { lastId: found.at(-1), readItems: () => found.map((id) => ({ id, data: [] })) };
    },
  };
  const exported = async (after?: string, end = signal) => {
    const found: string[] = [];
    for await (const slice of exportItems(fake as unknown as ItemsClient, after, end, newBudget))
      found.push(...slice.map(({ id }) => id));
    return found;
  };
  return { fake, calls, exported, memory, newBudget };
}

describe('search of an export', () => {
  it('reads all items in slices, after an id, with one point in time that it closes', async () => {
    const { exported, calls } = clientOn(ids(1_200));
    expect(await exported()).to.deep.equal(ids(1_200));
    expect(calls).to.deep.equal(['open', 'start 500', 'l-00499 500', 'l-00999 500', 'l-01199 500', 'close']);
    expect(await exported('l-01197')).to.deep.equal(ids(1_200).slice(-2));
  });

  it('reads fewer items at once if they are too large for a response', async () => {
    const { exported, fake } = clientOn(ids(300));
    fake.maxItems = 100;
    expect(await exported()).to.deep.equal(ids(300));
  });

  it('visits no more items per slice than it reads, in a feed of any size', async () => {
    const { exported, fake } = clientOn(ids(20_000));
    expect(await exported()).to.deep.equal(ids(20_000));
    expect(fake.visited).to.equal(500);
    expect(fake.enumerations).to.equal(5);
  });

  it('ends without a slice if only removed items follow an id', async () => {
    const all = ids(2_000);
    const { fake, newBudget } = clientOn(all.slice(0, 700), [], all);
    const slices = exportItems(fake as unknown as ItemsClient, 'l-00699', signal, newBudget);
    expect(await slices.next()).to.deep.equal({ done: true, value: undefined });
  });

  it('stays within the budget of a slice if it has large items, failures and no bound', async () => {
    const { exported, fake } = clientOn(
      ids(4),
      Array.from({ length: 4 }, () => new FeedUnavailable('down')),
      [],
    );
    fake.maxItems = 1;
    expect(await exported()).to.deep.equal(ids(4));
  });

  it('reads each item once if a proxy repeats the response to an older search', async () => {
    const { exported, fake } = clientOn(ids(1_200));
    const { slice } = fake;
    const answers: ReturnType<typeof slice>[] = [];
    fake.slice = (...args) => {
      answers.push(slice(...args));
      return (answers.length === 3 ? answers[0] : answers.at(-1)) as ReturnType<typeof slice>;
    };
    expect(await exported()).to.deep.equal(ids(1_200));
  });

  it('reads all items if the enumeration lacks ids, repeats ids, or has ids of removed items', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(5_000), { maxLength: 3_000 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 4 }),
        fc.boolean(),
        async (numbers, each, enumeratedEach, repeats) => {
          const all = numbers.map((number) => `l-${String(number).padStart(5, '0')}`).toSorted();
          const items = all.filter((_, i) => i % each === 0);
          const enumerated = all.filter((_, i) => enumeratedEach > 0 && i % enumeratedEach === 0);
          const { fake, exported } = clientOn(items, [], enumerated);
          if (repeats) fake.idsAfter = async () => enumerated.slice(0, 10);
          expect(await exported()).to.deep.equal(items);
        },
      ),
      { numRuns: 50 },
    ));

  it('survives a short outage, with a new point in time', async () => {
    const { exported, calls } = clientOn(ids(3), [new FeedUnavailable('down')]);
    expect(await exported()).to.deep.equal(ids(3));
    expect(calls.slice(0, 5)).to.deep.equal(['open', 'start 500', 'close', 'open', 'start 500']);
  });

  it('fails if Elasticsearch stays away, instead of ending early', async () => {
    const failures = Array.from({ length: 5 }, () => new FeedUnavailable('down'));
    const error = await clientOn(ids(3), failures)
      .exported()
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(FeedUnavailable);
  });

  it('closes its point in time if its reader stops', async () => {
    const { fake, calls, memory, newBudget } = clientOn(ids(2_000));
    for await (const _ of exportItems(fake as unknown as ItemsClient, undefined, signal, newBudget)) break;
    expect(calls.at(-1)).to.equal('close');
    expect(memory.held).to.equal(0);
  });

  it('holds the memory of two slices at most, and gives it back', async () => {
    const { fake, memory, newBudget } = clientOn(ids(2_000));
    const held: number[] = [];
    for await (const _ of exportItems(fake as unknown as ItemsClient, undefined, signal, newBudget))
      held.push(memory.held);
    expect(held).to.deep.equal([200, 200, 200, 200]);
    expect(memory.held).to.equal(0);
  });
});
