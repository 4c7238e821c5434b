import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { checkSearchResponse, checkSearchStatus, isIndexMissing, pointInTimeOf } from './checked-response.ts';
import { FeedUnavailable } from './search-failure.ts';

const REQUEST: estypes.SearchRequest = {
  size: 1,
  sort: [{ id: 'asc' }],
  aggs: {
    least: { min: { field: 'a' } },
    offers: {
      nested: { path: 'offers' },
      aggs: { dates: { filters: { filters: {} }, aggs: { prices: { stats: { field: 'b' } } } } },
    },
  },
};
const RESPONSE = {
  hits: { total: { value: 1 }, hits: [{ _source: {}, sort: ['x'] }] },
  aggregations: {
    least: { value: null },
    offers: { dates: { buckets: { d: { doc_count: 0, prices: { min: null, max: null } } } } },
  },
};
const check = (response: object) =>
  checkSearchResponse(REQUEST, response as unknown as estypes.SearchResponse<unknown, unknown>);

describe('checked response', () => {
  it('has everything that the search requested', () => {
    expect(() => check(RESPONSE)).to.not.throw();
    const { hits, aggregations } = RESPONSE;
    const { offers } = aggregations;
    for (const damaged of [
      { hits, aggregations: undefined },
      { hits, aggregations: { offers } },
      { hits, aggregations: { least: {}, offers } },
      { hits, aggregations: { ...aggregations, offers: {} } },
      { hits, aggregations: { ...aggregations, offers: { dates: {} } } },
      { hits, aggregations: { ...aggregations, offers: { dates: { buckets: { d: {} } } } } },
      { hits: { ...hits, total: undefined }, aggregations },
      { hits: { ...hits, hits: [{ sort: ['x'] }] }, aggregations },
      { hits: { ...hits, hits: [{ _source: {} }] }, aggregations },
    ])
      expect(() => check(damaged), JSON.stringify(damaged)).to.throw(FeedUnavailable, 'is damaged');
  });

  it('states whether it is complete', () => {
    for (const damaged of [
      undefined,
      null,
      [],
      'text',
      {},
      { timed_out: false },
      { timed_out: false, _shards: {} },
    ])
      expect(() => checkSearchStatus(damaged)).to.throw(FeedUnavailable);
    expect(() => checkSearchStatus({ timed_out: true, _shards: { failed: 0 } })).to.not.throw();
  });

  it('has an id if it opens a point in time', () => {
    for (const damaged of [null, {}, { id: '' }, { id: 5 }])
      expect(() => pointInTimeOf(damaged)).to.throw(FeedUnavailable);
    expect(pointInTimeOf({ id: 'a' })).to.equal('a');
  });

  it('says that an index is missing only in the words of Elasticsearch', () => {
    expect(isIndexMissing({ error: { type: 'index_not_found_exception' }, status: 404 })).to.equal(true);
    for (const other of ['<html>', {}, null, { error: 'not found' }, { error: { type: 'x' } }])
      expect(isIndexMissing(other)).to.equal(false);
  });
});
