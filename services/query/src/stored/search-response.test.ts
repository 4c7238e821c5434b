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

  it('is read the same way in any form of its hits', () => {
    const source = { feed_item: { id: '{"_source":{' }, calendar: [] };
    const id = 'x,"_source":{"feed_item":{}},"sort":[1]}';
    const read = (hit: object, space?: number) =>
      readSearchResponse(
        Buffer.from(JSON.stringify({ hits: { hits: [hit, { _id: '2', sort: [8, '2'] }] } }, null, space)),
      ).hits.hits.map(({ _source, ...rest }) => ({ ...rest, item: _source?.feedItem.toString() }));
    const item = JSON.stringify(source.feed_item);
    for (const hit of [
      { _id: '1', _score: null, _source: source, sort: [7, '1'] },
      { _id: id, _score: null, _source: source, sort: [7, '1'] },
      { _id: '1', sort: [7, '1'], _source: source },
      { _source: source, _id: '1', sort: [7, '1'] },
    ])
      expect(read(hit)).to.deep.equal([
        { sort: [7, '1'], item },
        { sort: [8, '2'], item: undefined },
      ]);
    const [spaced] = read({ _id: '1', _source: source, sort: [7, '1'] }, 2);
    expect(spaced?.sort).to.deep.equal([7, '1']);
    expect(JSON.parse(spaced?.item ?? '')).to.deep.equal(source.feed_item);
    const fields = { id: ['1'] };
    expect(read({ _id: '1', _source: source, fields, sort: [7, '1'] })[0]).to.deep.equal({
      sort: [7, '1'],
      fields,
      item,
    });
  });

  it('can have no documents', () => {
    expect(
      readSearchResponse(body([{ _id: '1', sort: ['Infinity', '1'], fields: { id: ['1'] } }])).hits.hits,
    ).to.deep.equal([{ sort: ['Infinity', '1'], fields: { id: ['1'] } }]);
    expect(readSearchResponse(body([])).hits.hits).to.deep.equal([]);
  });

  it('is never read as empty if its hits are missing', () => {
    for (const damaged of ['{}', '{"hits":{}}', '{"hits":{"total":{"value":0}}}'])
      expect(() => readSearchResponse(Buffer.from(damaged)), damaged).to.throw('no hits');
  });
});
