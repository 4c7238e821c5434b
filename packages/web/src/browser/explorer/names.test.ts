import { expect } from 'chai';
import { isNamed, learnNames, nameOf, onNewNames, replaceNames, valueName } from './names.ts';

describe('names for people', () => {
  it('come from the data, for each spelling of a value', () => {
    learnNames('category', [{ value: 'chale-de-montanha', label: 'Chalé de Montanha' }]);
    expect(valueName('category', 'chale-de-montanha')).to.equal('Chalé de Montanha');
    expect(valueName('category', 'CHALÉ DE MONTANHA')).to.equal('Chalé de Montanha');
    learnNames('city', [{ value: 'natal', label: 'Natal' }]);
    expect(isNamed('category', 'natal')).to.equal(false);
  });

  it('of a city stand alone and with its state', () => {
    learnNames('city', [
      { value: 'maceio', label: 'Maceió (any state)' },
      { value: 'maceio-al', label: 'Maceió, AL' },
      { value: 'obidos', label: 'Óbidos' },
    ]);
    const names = ['maceio', 'maceio-al', 'Maceió, AL', 'obidos'].map((text) => valueName('city', text));
    expect(names).to.deep.equal(['Maceió', 'Maceió, AL', 'Maceió, AL', 'Óbidos']);
  });

  it('of a city exist in both forms if the facet has only one of them', () => {
    learnNames('city', [
      { value: 'belem-pa', label: 'Belém, PA' },
      { value: 'belem-al', label: 'Belém, AL' },
      { value: 'uniao', label: 'União' },
    ]);
    const names = ['belem', 'belem-al', 'uniao-pi', 'uniao-xx'].map((text) => valueName('city', text));
    expect(names).to.deep.equal(['Belém', 'Belém, AL', 'União, PI', 'Uniao xx']);
    expect(isNamed('city', 'uniao-pi')).to.equal(true);
  });

  it('under other filters serve only until the facet itself is read', () => {
    learnNames('city', [{ value: 'santos', label: 'Santos ⓟⓐⓖⓤⓔ' }], true);
    expect([valueName('city', 'santos'), isNamed('city', 'santos')]).to.deep.equal(['Santos ⓟⓐⓖⓤⓔ', false]);
    learnNames('city', [{ value: 'santos', label: 'Santos' }]);
    expect(valueName('city', 'santos')).to.equal('Santos');
  });

  it('belong to one facet, so a hostile sub-category does not rename the category with its slug', () => {
    learnNames('category', [{ value: 'apartamentos', label: 'Apartamentos' }]);
    learnNames('sub_category', [{ value: 'apartamentos', label: 'Apartamentos ⓟⓐⓖⓤⓔ' }]);
    expect(nameOf('category', 'apartamentos')).to.equal('Apartamentos');
  });

  it('do not change under other filters, where a label may come from one listing', () => {
    learnNames('category', [{ value: 'galpoes', label: 'Galpões' }]);
    learnNames('category', [{ value: 'galpoes', label: 'Galpões ⓟⓐⓖⓤⓔ' }]);
    expect(nameOf('category', 'galpoes')).to.equal('Galpões');
  });

  it('are forgotten when the current ones replace them', () => {
    learnNames('city', [{ value: 'aracaju', label: 'Aracajú' }]);
    replaceNames('city', [{ value: 'caceres', label: 'Cáceres' }]);
    expect(['aracaju', 'caceres'].map((city) => isNamed('city', city))).to.deep.equal([false, true]);
  });

  it('are words if nothing is known, and any other text stays as it is', () => {
    learnNames('category', [{ value: 'casa-de-praia', label: 'casa-de-praia' }]);
    expect(valueName('category', 'casa-de-praia')).to.equal('Casa de praia');
    expect(valueName('city', '<b>Ilha</b>')).to.equal('<b>Ilha</b>');
  });

  it('are announced once', () => {
    let calls = 0;
    const end = onNewNames(() => calls++);
    const values = [{ value: 'chale', label: 'Chalé' }];
    learnNames('sub_category', values);
    learnNames('sub_category', values);
    end();
    learnNames('sub_category', [{ value: 'sofas', label: 'Sofás' }]);
    expect(calls).to.equal(1);
  });
});
