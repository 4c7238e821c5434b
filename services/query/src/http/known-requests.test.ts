import { expect } from 'chai';
import { KnownRequests } from './known-requests.ts';

describe('known requests', () => {
  const settings = { today: '2026-12-01', localRadiusKm: 50 };
  /** Reads requests, makes their searches, and returns whether the first request is still known. */
  const isFirstKept = (queries: readonly string[]) => {
    const known = new KnownRequests();
    const [first = '', ...others] = queries;
    const request = known.read('ai-feed', undefined, first);
    known.queryOf(request, settings);
    for (const query of others) known.queryOf(known.read('ai-feed', undefined, query), settings);
    return known.read('ai-feed', undefined, first) === request;
  };
  const many = (query: string) => Array.from({ length: 200 }, (_, i) => `${query}&min_price=${i}`);

  it('reads a request and makes its search once a day', () => {
    const known = new KnownRequests();
    const request = known.read('ai-feed', undefined, 'city=x');
    const search = known.queryOf(request, settings);
    expect(known.read('ai-feed', undefined, 'city=x')).to.equal(request);
    expect(known.queryOf(request, settings)).to.equal(search);
    const tomorrow = { ...settings, today: '2026-12-02' };
    expect(known.queryOf(request, tomorrow)).not.to.equal(search);
    expect(known.read('ai-feed', undefined, 'city=x'), 'with a new search').to.equal(request);
  });

  it('gives two spellings of a request the same text, so both spellings share one page', () => {
    const known = new KnownRequests();
    const [first, second, other] = [
      'city=S%C3%A3o+Paulo&page=1',
      'utm=x&page=01&city=sao-paulo',
      'city=recife',
    ].map((query) => known.read('ai-feed', undefined, query).text);
    expect(second).to.equal(first);
    expect(other).not.to.equal(first);
  });

  it('counts the memory of the searches, because a short request can have a long one', () => {
    expect(isFirstKept(many('city=x'))).to.equal(true);
    expect(isFirstKept(many('date=2026-12-02&date_to=2027-03-01&nights=15'))).to.equal(false);
  });
});
