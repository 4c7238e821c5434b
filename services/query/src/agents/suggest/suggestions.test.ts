import { expect } from 'chai';
import { SHORT_NAMES } from './city-names.ts';
import { matchingValues, nearValues } from './suggestions.ts';

const values = [
  'sao-paulo',
  'rio-de-janeiro',
  'florianopolis',
  'curitiba',
  'balneario-camboriu',
  'porto-alegre',
  'foz-do-iguacu',
  'bonito-ms',
  'camboriu',
  'belo-horizonte',
  'porto-velho',
  'bonito-pe',
  'rio-branco',
  'sao-jose-do-rio-preto',
].map((value, i) => ({ value, label: value, count: 100 - i }));
const near = (slug: string) => nearValues(slug, values).map(({ value }) => value);
const matching = (slug: string) => matchingValues(slug, values).map(({ value }) => value);

describe('values that a text names', () => {
  it('begin with it, or one of their words does, most frequent first', () => {
    expect(matching('c')).to.deep.equal(['curitiba', 'balneario-camboriu', 'camboriu']);
    expect(matching('rio')).to.deep.equal(['rio-de-janeiro', 'rio-branco', 'sao-jose-do-rio-preto']);
    expect(matching('foz')).to.deep.equal(['foz-do-iguacu']);
    expect(matching('camboriu')).to.deep.equal(['balneario-camboriu', 'camboriu']);
    expect(matching('')).to.have.length(values.length);
  });

  it('have all of its words', () => {
    expect(matching('foz-iguacu')).to.deep.equal(['foz-do-iguacu']);
    expect(matching('sao-preto')).to.deep.equal(['sao-jose-do-rio-preto']);
  });

  it('have it as a short name', () => {
    for (const [short, city] of [
      ['rj', 'rio-de-janeiro'],
      ['bh', 'belo-horizonte'],
      ['sp', 'sao-paulo'],
      ['floripa', 'florianopolis'],
    ] as const)
      expect(near(short), short).to.deep.equal([city]);
    expect(matching('constructor')).to.deep.equal([]);
    for (const [short, city] of Object.entries(SHORT_NAMES)) {
      expect(`${short} ${city}`).to.match(/^[a-z]+ [a-z-]+$/);
      expect(city.startsWith(short), `${short} needs no entry`).to.equal(false);
    }
  });

  it('may be followed by their state, which excludes the same name in other states', () => {
    expect(matching('curitiba-pr')).to.deep.equal(['curitiba']);
    expect(matching('foz-parana')).to.deep.equal(['foz-do-iguacu']);
    expect(matching('bh-minas-gerais')).to.deep.equal(['belo-horizonte']);
    expect(matching('bonito')).to.deep.equal(['bonito-ms', 'bonito-pe']);
    expect(matching('bonito-pe')).to.deep.equal(['bonito-pe']);
    expect(near('bonito-go')).to.deep.equal(['bonito-ms', 'bonito-pe']);
    expect(near('bonitto-mato-grosso-do-sul')).to.deep.equal(['bonito-ms']);
  });
});

describe('values near a text that names none', () => {
  it('have at most two typing errors, as a whole or in one long word', () => {
    expect(near('curitba')).to.deep.equal(['curitiba']);
    expect(near('kuritibba')).to.deep.equal(['curitiba']);
    expect(near('kuritibbas')).to.deep.equal([]);
    expect(near('camburiu')).to.deep.equal(['balneario-camboriu', 'camboriu']);
    expect(near('iguassu')).to.deep.equal(['foz-do-iguacu']);
    expect(near('curitba-pr')).to.deep.equal(['curitiba']);
  });

  it('have only words of the text, or the same first four characters', () => {
    expect(near('centro-curitiba-batel')).to.deep.equal(['curitiba']);
    expect(near('florianos')).to.deep.equal(['florianopolis']);
    expect(near('portugal')).to.deep.equal(['porto-alegre', 'porto-velho']);
  });

  it('are ordered by their distance, then by frequency, and are at most five', () => {
    expect(near('porto-velha')).to.deep.equal(['porto-velho', 'porto-alegre']);
    const many = Array.from({ length: 9 }, (_, i) => ({ value: `porto-${i}`, label: '', count: 9 - i }));
    expect(nearValues('xyz', many).map(({ count }) => count)).to.deep.equal([]);
    expect(nearValues('port-x', many).map(({ count }) => count)).to.deep.equal([9, 8, 7, 6, 5]);
  });

  it('do not exist for a text without letters and digits', () => expect(near('')).to.deep.equal([]));

  it('are not longer than an argument', () =>
    expect(nearValues('xxxx', [{ value: 'x'.repeat(201), label: '', count: 1 }])).to.deep.equal([]));
});
