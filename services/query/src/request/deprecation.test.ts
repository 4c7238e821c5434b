import { expect } from 'chai';
import { DEPRECATION, deprecationLink, usesLegacyNames } from './deprecation.ts';

describe('deprecation', () => {
  it('is a structured date in the past', () => {
    expect(DEPRECATION).to.match(/^@[0-9]+$/);
    expect(Number(DEPRECATION.slice(1)) * 1_000).to.be.below(Date.now());
  });

  it('links to the reference below the base path', () => {
    expect(deprecationLink('/api')).to.equal(
      '</api/docs/crawlers#legacy-names>; rel="deprecation"; type="text/html"',
    );
    expect(deprecationLink('https://h/x/api')).to.equal(
      '<https://h/x/api/docs/crawlers#legacy-names>; rel="deprecation"; type="text/html"',
    );
    expect(deprecationLink('')).to.equal(
      '</docs/crawlers#legacy-names>; rel="deprecation"; type="text/html"',
    );
  });

  it('is reported for a legacy name in any spelling', () => {
    for (const query of [
      'cidade=recife',
      'city=recife&cidade=recife',
      'page=2&categoria=x',
      'subcategoria=x',
      'data=x',
      'c%69dade=x',
      'data=%FF',
      'data&data',
    ]) {
      expect(usesLegacyNames(query), query).to.equal(true);
    }
  });

  it('is not reported otherwise', () => {
    for (const query of [
      '',
      'city=recife',
      'cidade=',
      'cidade',
      'Cidade=x',
      'city=cidade',
      'date=2027-01-15',
      'x=data',
    ]) {
      expect(usesLegacyNames(query), query).to.equal(false);
    }
  });
});
