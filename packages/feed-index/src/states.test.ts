import { expect } from 'chai';
import { STATES } from './state-names.ts';
import { stateCodeOf, stateValueOf } from './states.ts';

describe('the states of Brazil', () => {
  it('are 27, each with its own code and name', () => {
    expect(new Set(STATES.map(({ code }) => code)).size).to.equal(27);
    expect(new Set(STATES.map(({ name }) => name)).size).to.equal(27);
  });

  it('have a code for every code and name, in any spelling', () => {
    for (const { code, name } of STATES)
      for (const text of [code, code.toUpperCase(), ` ${name} `, name.toUpperCase(), name.normalize('NFD')])
        expect(stateCodeOf(text), text).to.equal(code);
    expect(stateCodeOf('Espirito-Santo')).to.equal('es');
  });

  it('are not found in another text', () => {
    for (const text of ['', ' ', 'xx', 'São Paulo - SP', 'Bonito', 'sp.br', '東京'])
      expect(stateCodeOf(text), text).to.equal(undefined);
  });

  it('have their code in the index, and any other text its slug', () => {
    expect(['Paraná', 'PR', 'New York', '—'].map(stateValueOf)).to.deep.equal([
      'pr',
      'pr',
      'new-york',
      undefined,
    ]);
  });
});
