import { expect } from 'chai';
import { placeOf } from '../../filters/apostrophes.ts';
import { type CountedValue, citiesInStates, joinSpellings, namedByState } from './city-states.ts';

const city = (value: string, count: number, states: number): CountedValue => ({
  value,
  label: value.toUpperCase(),
  count,
  minPrice: count,
  states,
});
const joined = (...values: CountedValue[]) => joinSpellings(values, placeOf);
const counts = (states: Record<string, number>) =>
  new Map(Object.entries(states).map(([state, count]) => [state, { count, minPrice: count }]));

describe('cities in several states', () => {
  it('are counted by state, and so is a city whose name occurs together with a state', () => {
    const cities = joined(
      city('bonito', 9, 2),
      city('curitiba', 8, 1),
      city('curitiba-pr', 2, 1),
      city('natal', 1, 0),
    );
    expect(citiesInStates(cities)).to.deep.equal(['bonito', 'curitiba']);
    const many = Array.from({ length: 10_000 }, (_, i) => city(`c-${i}`, 1, 5));
    expect(citiesInStates(joined(...many))).to.have.length(600);
  });

  it('are named with each state, and alone only for items without a known state', () => {
    const cities = joined(city('bonito', 9, 2), city('valenca', 8, 2), city('natal', 7, 2));
    const byState = new Map([
      ['bonito', counts({ ms: 5, pe: 4 })],
      ['valenca', counts({ ba: 3, rj: 3 })],
      ['natal', counts({ rn: 6 })],
    ]);
    expect(
      namedByState(cities, byState).map(({ value, label, count }) => [value, label, count]),
    ).to.deep.equal([
      ['valenca', 'VALENCA (any state)', 8],
      ['natal', 'NATAL', 7],
      ['bonito-ms', 'BONITO, MS', 5],
      ['bonito-pe', 'BONITO, PE', 4],
      ['valenca-ba', 'VALENCA, BA', 3],
      ['valenca-rj', 'VALENCA, RJ', 3],
    ]);
  });

  it('count the items whose city contains the state, because the filter also finds them', () => {
    const cities = joined(city('curitiba', 8, 1), city('curitiba-pr', 2, 1));
    const [, both] = namedByState(cities, new Map([['curitiba', counts({ pr: 7 })]])).reverse();
    expect(both).to.deep.include({ value: 'curitiba-pr', count: 9, minPrice: 2 });
  });

  it('join the spellings of an apostrophe, because the filter finds all of them by one', () => {
    const cities = joined(city('sant-ana', 6, 1), city('santana', 5, 2), city('sant-ana-ap', 2, 1));
    expect(citiesInStates(cities)).to.deep.equal(['sant-ana', 'santana']);
    const byState = new Map([
      ['sant-ana', counts({ ap: 6 })],
      ['santana', counts({ ap: 1, ba: 4 })],
    ]);
    expect(namedByState(cities, byState)).to.deep.equal([
      { value: 'sant-ana-ap', label: 'SANT-ANA, AP', count: 9, minPrice: 1 },
      { value: 'sant-ana-ba', label: 'SANT-ANA, BA', count: 4, minPrice: 4 },
    ]);
    const beyond = Array.from({ length: 599 }, (_, i) => city(`c-${i}`, 9, 2));
    const last = [city('santana', 2, 2), city('sant-ana', 1, 2)];
    expect(citiesInStates(joined(...beyond, ...last)), 'all spellings or none').to.have.length(599);
  });

  it('take a bounded time', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => city(`c-${i}`, 1, 5));
    const states = Object.fromEntries(['ms', 'pe', 'rj', 'sp', 'ba'].map((code) => [code, 1]));
    const byState = new Map(many.slice(0, 600).map(({ value }) => [value, counts(states)]));
    expect(namedByState(joined(...many), byState)).to.have.length(10_000 - 600 + 5 * 600);
  });
});
