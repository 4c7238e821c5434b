import { expect } from 'chai';
import fc from 'fast-check';
import { placeOf, spellingsOf } from './apostrophes.ts';

describe('spellings of a city', () => {
  for (const [one, other] of [
    ['mae-d-agua', 'mae-dagua'],
    ['dias-d-avila', 'dias-davila'],
    ['santa-barbara-d-oeste', 'santa-barbara-doeste'],
    ['sant-ana-do-livramento', 'santana-do-livramento'],
  ] as const)
    it(`${one} and ${other} are one city`, () => {
      expect(spellingsOf(one)).to.have.members([one, other]);
      expect(spellingsOf(other)).to.have.members([one, other]);
    });

  it('are only the given one without an apostrophe', () => {
    for (const slug of [
      '',
      '-',
      'natal',
      'rio-de-janeiro',
      'dois-irmaos',
      'd-oeste',
      'sao-paulo-d',
      'feira-d-x',
    ])
      expect(spellingsOf(slug), slug).to.deep.equal([slug]);
  });

  it('have one place, even with the code of a state', () => {
    const words = ['d', 'dagua', 'agua', 'sant', 'ana', 'santana', 'rio', 'davila', 'ap', 'da'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 9 }), (chosen) => {
        const slug = chosen.join('-');
        for (const spelling of spellingsOf(slug)) {
          expect(spellingsOf(spelling)).to.have.members(spellingsOf(slug));
          expect(placeOf(spelling)).to.equal(placeOf(slug));
          expect(placeOf(`${spelling}-ap`)).to.equal(`${placeOf(slug)}-ap`);
        }
      }),
    );
  });

  it('are few for every slug', () => {
    expect(spellingsOf('a-dagua-dagua-dagua-dagua')).to.have.length(16);
    expect(spellingsOf(`a${'-dagua'.repeat(30)}`)).to.have.length(1);
  });
});
