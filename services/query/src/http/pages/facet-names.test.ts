import { viewTitle } from '@vitrine/web';
import { expect } from 'chai';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../../budget/request-budget.ts';
import { SearchLimiter } from '../../search/search-limiter.ts';
import { createFacetNames, type FacetNameOptions } from './facet-names.ts';

const titleOf = (city: string) => viewTitle({ feed: 'ai-feed', city }, 'en');

/** Reads names, as a new process does. @param label the label of each facet's only value */
const read = (value: string, label: string, facet?: FacetNameOptions['search']['facet']) =>
  createFacetNames({
    search: { facet: facet ?? (async () => [{ value, label, count: 1, minPrice: 1 }]) },
    limiter: new SearchLimiter({ limit: 1 }),
    newBudget: () => new RequestBudget(PAGE_LIMITS, new SharedMemory(1e9)),
    today: () => '2026-12-01',
    localRadiusKm: 50,
  });

describe('names of facets', () => {
  it('are those of the last reading, so the names of past listings take no memory', async () => {
    expect(await read('belem', 'Belém')()).to.equal(3);
    expect(titleOf('belem')).to.equal('Belém · Vitrine');
    await read('goiania', 'Goiânia')();
    expect([titleOf('goiania'), titleOf('belem')]).to.deep.equal(['Goiânia · Vitrine', 'Belem · Vitrine']);
  });

  it('are read once for several views, and survive a failed reading', async () => {
    const readNames = read('vitoria', 'Vitória');
    expect(await Promise.all([readNames(), readNames()])).to.deep.equal([3, 3]);
    expect(await read('', '', () => Promise.reject(new Error('outage')))()).to.equal(0);
    expect(titleOf('vitoria')).to.equal('Vitória · Vitrine');
  });
});
