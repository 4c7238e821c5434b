import { FILTER_NAMES, FILTERS, type FilterValues } from '@vitrine/feed-index/filters';
import { expect } from 'chai';
import { readFilters } from '../request/feed-request.ts';
import { PARAMETERS, FILTERS as TABLE } from './index.ts';

/** A valid value of each filter. */
const VALUES: Required<FilterValues> = {
  city: 'Natal',
  category: 'Casa',
  sub_category: 'Chalé',
  ad_type: 'rent',
  date: '2026-12-12',
  date_to: '2026-12-14',
  lat: -5.8,
  lng: -35.2,
  localOnly: true,
  min_price: 10,
  max_price: 20,
  state: 'RN',
  min_rating: 4,
  nights: 2,
  min_total_price: 10,
  max_total_price: 20,
  sort: 'price',
};

describe('the table of filters', () => {
  it('has a query parameter for each filter that the explorer sends in a query', () => {
    const sent = FILTER_NAMES.filter((name) => FILTERS[name].control !== 'tabs');
    expect(sent.filter((name) => PARAMETERS[name].feeds === undefined)).to.deep.equal([]);
  });

  it('refuses a filter without the filter that it needs', () => {
    for (const name of FILTER_NAMES.filter((one) => FILTERS[one].needs !== undefined))
      expect(readFilters({ [name]: VALUES[name] }).bad.length, name).to.be.greaterThan(0);
  });

  it('writes each criterion of a filter into the answer, and each query parameter into the links', () => {
    const { criteria, bad } = readFilters(VALUES);
    expect(bad).to.deep.equal([]);
    const settings = { today: '2026-12-01', localRadiusKm: 50 };
    for (const filter of TABLE.filter(({ parameters }) => Object.keys(parameters).length > 0)) {
      const names = Object.keys(filter.parameters);
      expect(Object.keys(filter.applied(criteria, (_, slug) => slug)), names[0]).to.have.length(names.length);
      // `nights` makes the dates a window, and `sort` matches every item.
      const { nights: _, ...withoutWindow } = criteria;
      const clauses = [criteria, withoutWindow].flatMap((one) => filter.clauses(one, settings));
      if (names[0] !== 'sort') expect(clauses, names[0]).not.to.be.empty;
      const linked = FILTER_NAMES.filter((name) => names.includes(name) && PARAMETERS[name].feeds);
      expect(Object.keys(filter.links(criteria)), names[0]).to.have.members(linked);
    }
    const members = TABLE.flatMap(({ parameters, members: own }) =>
      Object.keys(parameters).length > 0 ? own : [],
    );
    // Only the path of a feed sets the member `adType`.
    expect(criteria).to.have.all.keys(members.filter((member) => member !== 'adType'));
  });
});
