import { expect } from 'chai';
import { readSearchResponse } from './search-response.ts';

describe('search response', () => {
  const body = (hits: object[]) =>
    Buffer.from(
      JSON.stringify({
        timed_out: false,
        _shards: { failed: 0 },
        hits: { total: { value: 2 }, max_score: null, hits },
        aggregations: { a: { b: 1 } },
      }),
    );

  it('is parsed except for the documents', () => {
    const { hits, ...rest } = readSearchResponse(
      body([{ _id: '1', _source: { feed_item: { id: '1' }, calendar: [] }, sort: [7, '1'] }]),
    );
    expect(rest).to.deep.equal({ timed_out: false, _shards: { failed: 0 }, aggregations: { a: { b: 1 } } });
    expect(hits.total).to.deep.equal({ value: 2 });
    const [hit] = hits.hits;
    expect(hit?.sort).to.deep.equal([7, '1']);
    expect([hit?._source?.feedItem.toString(), hit?._source?.calendar.toString()]).to.deep.equal([
      '{"id":"1"}',
      '[]',
    ]);
  });

  it('can have no documents', () => {
    expect(
      readSearchResponse(body([{ _id: '1', sort: ['Infinity', '1'], fields: { id: ['1'] } }])).hits.hits,
    ).to.deep.equal([{ sort: ['Infinity', '1'], fields: { id: ['1'] } }]);
    expect(readSearchResponse(body([])).hits.hits).to.deep.equal([]);
  });
});
