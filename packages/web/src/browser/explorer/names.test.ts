import { expect } from 'chai';
import { categoryName, isNamed, learnCity, learnNames, onNewNames, placeName } from './names.ts';

describe('names for people', () => {
  it('come from the data, for each spelling of a value', () => {
    learnNames('category', [{ value: 'chale-de-montanha', label: 'Chalé de Montanha' }]);
    expect(categoryName('chale-de-montanha')).to.equal('Chalé de Montanha');
    expect(categoryName('CHALÉ DE MONTANHA')).to.equal('Chalé de Montanha');
    learnNames('city', [{ value: 'natal', label: 'Natal' }]);
    expect(isNamed('category', 'natal')).to.equal(false);
  });

  it('of a city come from an item, alone and with its state', () => {
    learnCity({ city: 'Maceió', state: 'AL' });
    learnCity({ city: 'Óbidos' });
    const names = ['maceio', 'maceio-al', 'Maceió, AL', 'obidos'].map(placeName);
    expect(names).to.deep.equal(['Maceió', 'Maceió, AL', 'Maceió, AL', 'Óbidos']);
  });

  it('are words if nothing is known, and any other text stays as it is', () => {
    learnNames('category', [{ value: 'casa-de-praia', label: 'casa-de-praia' }]);
    expect(categoryName('casa-de-praia')).to.equal('Casa de praia');
    expect(placeName('<b>Ilha</b>')).to.equal('<b>Ilha</b>');
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
