import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import type { FeedCriteria } from '../../request/criteria.ts';
import { FeedUnavailable } from '../search-failure.ts';
import { FieldsMissing, LiveFields, neededMapping } from './live-fields.ts';

const base: FeedCriteria = { feed: 'ai-feed', pageSize: 20 };

describe('the mapping that a request needs', () => {
  const cases: [Partial<FeedCriteria>, 'mapping 4' | undefined][] = [
    [{}, undefined],
    [{ date: '2026-12-01', dateTo: '2026-12-03', minPrice: 1 }, undefined],
    [{ sort: 'newest' }, undefined],
    [{ sort: 'price' }, undefined],
    [{ sort: 'rating' }, 'mapping 4'],
    [{ sort: 'total_price', date: '2026-12-01' }, 'mapping 4'],
    [{ state: 'sp' }, 'mapping 4'],
    [{ minRating: 0 }, 'mapping 4'],
    [{ date: '2026-12-01', nights: 1 }, 'mapping 4'],
    [{ date: '2026-12-01', maxTotal: 0 }, 'mapping 4'],
    [{ date: '2026-12-01', minTotal: 0 }, 'mapping 4'],
  ];
  for (const [criteria, needs] of cases)
    it(`is ${needs ?? 'any'} for ${JSON.stringify(criteria)}`, () =>
      expect(neededMapping({ ...base, ...criteria })).to.equal(needs));
});

describe('the fields of the live index', () => {
  let asked: (string | undefined)[] = [];
  /** The index of all points in time. */
  let index: string | undefined;
  let isDown = false;
  const fields = () =>
    new LiveFields(
      {
        async search<Aggregations>() {
          if (isDown) throw new FeedUnavailable('down');
          const buckets = index === undefined ? [] : [{ key: index }];
          return { aggregations: { index: { buckets } } } as estypes.SearchResponse<never, Aggregations>;
        },
        async hasField(name, ofIndex) {
          expect(name).to.equal('nights');
          asked.push(ofIndex);
          return ofIndex === 'items-2';
        },
      },
      new AbortController().signal,
    );
  const pointInTime = () => ({ id: 'p' });
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('resolved'),
      (error: unknown) => error,
    );
  beforeEach(() => {
    asked = [];
    index = 'items-1';
    isDown = false;
  });

  it('are asked once per index, and refuse what an index lacks', async () => {
    const live = fields();
    const [first, second, third] = [pointInTime(), pointInTime(), pointInTime()];
    const refused = await failure(live.require('mapping 4', first));
    expect(refused).to.be.instanceOf(FieldsMissing).and.instanceOf(FeedUnavailable);
    expect(await live.areIn(second)).to.equal(false);
    index = 'items-2';
    await live.require('mapping 4', third);
    expect(await live.areIn(first), 'a point in time keeps its index').to.equal(false);
    expect(asked).to.deep.equal(['items-1', 'items-2']);
  });

  it('are not asked for a request that needs none', async () => {
    isDown = true;
    await fields().require(undefined, pointInTime());
  });

  it('are asked for each point in time of an empty index', async () => {
    index = undefined;
    const live = fields();
    expect([await live.areIn(pointInTime()), await live.areIn(pointInTime())]).to.deep.equal([false, false]);
    expect(asked).to.deep.equal([undefined, undefined]);
  });

  it('are asked again after a failure', async () => {
    const [live, shown] = [fields(), pointInTime()];
    isDown = true;
    expect(await failure(live.areIn(shown))).to.be.instanceOf(FeedUnavailable);
    isDown = false;
    index = 'items-2';
    expect(await live.areIn(shown)).to.equal(true);
  });
});
