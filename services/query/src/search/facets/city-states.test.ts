import { expect } from 'chai';
import { type CountedCity, citiesInStates, namedByState } from './city-states.ts';

const city = (value: string, count: number, states: number): CountedCity => ({
  value,
  label: value.toUpperCase(),
  count,
  minPrice: count,
  states,
});
const counts = (states: Record<string, number>) =>
  new Map(Object.entries(states).map(([state, count]) => [state, { count, minPrice: count }]));

describe('cities in several states', () => {
  it('are counted by state, and so is a city whose name occurs together with a state', () => {
    const cities = [
      city('bonito', 9, 2),
      city('curitiba', 8, 1),
      city('curitiba-pr', 2, 1),
      city('natal', 1, 0),
    ];
    expect(citiesInStates(cities)).to.deep.equal(['bonito', 'curitiba']);
    const many = Array.from({ length: 10_000 }, (_, i) => city(`c-${i}`, 1, 5));
    expect(citiesInStates(many)).to.have.length(600);
  });

  it('are named with each state, and alone only for items without a known state', () => {
    const cities = [city('bonito', 9, 2), city('valenca', 8, 2), city('natal', 7, 2)];
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

  it('count the items whose city contains the state, because the filter finds them, too', () => {
    const cities = [city('curitiba', 8, 1), city('curitiba-pr', 2, 1)];
    const [, both] = namedByState(cities, new Map([['curitiba', counts({ pr: 7 })]])).reverse();
    expect(both).to.deep.include({ value: 'curitiba-pr', count: 9, minPrice: 2 });
  });

  it('take a bounded time', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => city(`c-${i}`, 1, 5));
    const states = Object.fromEntries(['ms', 'pe', 'rj', 'sp', 'ba'].map((code) => [code, 1]));
    const byState = new Map(many.slice(0, 600).map(({ value }) => [value, counts(states)]));
    expect(namedByState(many, byState)).to.have.length(10_000 - 600 + 5 * 600);
  });
});
