import { expect } from 'chai';
import { readExportSlice, readMultiGetResponse } from './complete-items.ts';

const document = (id: string, more: object = {}) => ({
  id,
  published_at: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  ad_type: 'rent',
  city: 'sao-paulo',
  offers: [{ price: 5, date: ['2020-01-01'] }],
  feed_item: { id, title: 'A "quoted" title, {braces} and ]' },
  calendar: [
    { date: '2020-01-01', available: true, price: 5 },
    { date: '2031-01-01', available: false, price: 6 },
  ],
  ...more,
});
const served = (id: string) => ({
  id,
  title: 'A "quoted" title, {braces} and ]',
  availability: document(id).calendar,
  ad_type: 'rent',
  published_at: '2026-01-02T03:04:05.006Z',
});
const STATUS = { pit_id: 'p', timed_out: false, _shards: { total: 1, successful: 1, failed: 0 } };
const dataOf = ({ data }: { data: Buffer[] }) => JSON.parse(Buffer.concat(data).toString()) as unknown;

describe('complete items', () => {
  it('contain the whole calendar, the ad type and the time of publication', () => {
    const body = Buffer.from(
      JSON.stringify({ docs: [{ _index: 'i', _id: 'a', found: true, _source: document('a') }] }),
    );
    const { items, error } = readMultiGetResponse(body);
    expect([...items.values()].map(dataOf)).to.deep.equal([served('a')]);
    expect(error).to.equal(undefined);
  });

  it('are the same in any order of the members', () => {
    const { id, published_at, ad_type, ...others } = document('a');
    const orders = [
      { id, published_at, ad_type, ...others },
      { id, published_at, city: 'x', ad_type, feed_item: others.feed_item, calendar: others.calendar },
      { id, ad_type, published_at, ...others },
      { ...others, ad_type, published_at, id },
      { calendar: others.calendar.toReversed(), feed_item: others.feed_item, ad_type, published_at, id },
    ];
    for (const source of orders) {
      const { items } = readMultiGetResponse(Buffer.from(JSON.stringify({ docs: [{ _source: source }] })));
      expect([...items].map(([key, item]) => [key, dataOf(item)])).to.deep.equal([['a', served('a')]]);
    }
  });

  it('may have no ad type and an empty calendar', () => {
    const { ad_type: _, ...source } = document('a', { calendar: [] });
    const { items } = readMultiGetResponse(Buffer.from(JSON.stringify({ docs: [{ _source: source }] })));
    expect([...items.values()].map(dataOf)).to.deep.equal([
      { id: 'a', title: served('a').title, availability: [], published_at: served('a').published_at },
    ]);
  });

  it('do not include missing documents, and report unreadable ones', () => {
    const docs = [
      { _index: 'i', _id: 'a', found: false },
      { _index: 'i', _id: 'b', error: { type: 'index_not_found_exception' } },
    ];
    const { items, error } = readMultiGetResponse(Buffer.from(JSON.stringify({ docs })));
    expect(items.size).to.equal(0);
    expect(error).to.include('index_not_found_exception');
  });

  const slice = (ids: string[], sorted = ids) => {
    const hits = ids.map((id, i) => ({ _id: id, _source: document(id), sort: [sorted[i], i] }));
    return readExportSlice(Buffer.from(JSON.stringify({ ...STATUS, hits: { max_score: null, hits } })));
  };

  it('are read from a search in the order of its hits', () => {
    const { status, lastId, readItems } = slice(['a', 'b]","sort":["c']);
    expect(readItems().map(dataOf)).to.deep.equal([served('a'), served('b]","sort":["c')]);
    expect(lastId).to.equal('b]","sort":["c');
    expect(status).to.deep.equal(STATUS);
  });

  it('may be none', () => {
    const { lastId, readItems } = slice([]);
    expect(lastId).to.equal(undefined);
    expect(readItems()).to.deep.equal([]);
  });

  it('are refused if the last id is not the last sort value', () => {
    expect(() => slice(['a', 'b'], ['a', 'c']).readItems()).to.throw('order of its ids');
  });
});
