import { expect } from 'chai';
import { learnNames } from '../names.ts';
import { queryOf, stateOf, withFilters } from '../search-state.ts';
import { activeFilters } from './active-filters.ts';
import { CAPITALS, capitalAt } from './capitals.ts';

const ALL =
  '?type=rent&city=natal,olinda&category=temporada&state=ba&date=2026-12-05&date_to=2026-12-20&nights=3' +
  '&min_price=100&max_total_price=900.5&min_rating=4.5&lat=-8.058&lng=-34.883&localOnly=true&sort=total_price';

describe('active filters', () => {
  it('have words for each filter, in both languages', () => {
    learnNames('category', [{ value: 'temporada', label: 'Temporada' }]);
    const texts = (language: 'en' | 'pt-BR') => activeFilters(stateOf(ALL), language).map(({ text }) => text);
    // Intl writes non-breaking spaces.
    expect(texts('en').map((text) => text.replace(/\s/g, ' '))).to.deep.equal([
      'For rent',
      'Natal',
      'Olinda',
      'Temporada',
      'Bahia',
      'Dec 5 – 20, 2026',
      '3 nights',
      'Price: from R$100',
      'Total: up to R$900.50',
      '★ 4.5 and up',
      'Near Recife',
      'Only near this place',
    ]);
    expect(texts('pt-BR').map((text) => text.replace(/\s/g, ' '))).to.include.members([
      '5 – 20 de dez. de 2026',
      '3 diárias',
      'Total: até R$ 900,50',
      'Perto de Recife',
    ]);
  });

  it('can all be removed, one after the other', () => {
    let state = stateOf(ALL);
    for (let rest = activeFilters(state, 'en'); rest.length > 0; rest = activeFilters(state, 'en')) {
      const { text, removal } = rest.at(-1) ?? { text: '', removal: {} };
      state = withFilters(state, removal);
      expect(activeFilters(state, 'en').map((one) => one.text)).not.to.include(text);
    }
    expect(queryOf(state)).to.equal('');
  });

  it('name each capital at its place', () => {
    expect(CAPITALS).to.have.lengthOf(27);
    expect(CAPITALS.filter(({ lat, lng }) => Math.abs(lat) > 34 || lng > -34 || lng < -74)).to.deep.equal([]);
    expect(capitalAt(-7.12, -34.845)).to.equal('João Pessoa');
  });

  it('keep the other values of a list', () => {
    const [, natal] = activeFilters(stateOf(ALL), 'en');
    expect(withFilters(stateOf(ALL), natal?.removal ?? {}).city).to.equal('olinda');
  });
});
