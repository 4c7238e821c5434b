import { expect } from 'chai';
import { describeMismatch, type Versions } from './generation-record.ts';
import {
  describeRules,
  hasSameModule,
  isChangedModule,
  moduleOf,
  type RulesVersion,
  withModule,
} from './rules-version.ts';

const SHOP = { name: 'shop-2', version: 3, fingerprint: '9f86d081884c' };
const built = withModule(2, SHOP);

describe('the version of rules with a module', () => {
  it('contains the module, and never equals the number of the built-in rules', () => {
    expect(built).to.equal('2+shop-2@3:9f86d081884c');
    expect(moduleOf(built)).to.deep.equal(SHOP);
    expect(moduleOf(2)).to.equal(undefined);
    expect([describeRules(built), describeRules(2)]).to.deep.equal([
      '2 with module shop-2 version 3 (9f86d081884c)',
      '2',
    ]);
  });

  it('tells a changed module from the same one and from another version', () => {
    const changed = withModule(2, { ...SHOP, fingerprint: 'abc' });
    const next = withModule(2, { ...SHOP, version: 4, fingerprint: 'abc' });
    expect([built, changed, next, 2 as const].map((one) => isChangedModule(built, one))).to.deep.equal([
      false,
      true,
      false,
      false,
    ]);
    expect([built, changed, 2 as const].map((one) => hasSameModule(built, one))).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect(hasSameModule(1, 2), 'both without a module').to.equal(true);
  });

  it('tells the operator what to do', () => {
    const versions = (rules: RulesVersion): Versions => ({ states: 1, items: 3, changes: 1, rules });
    const advice = (theirs: RulesVersion, ours: RulesVersion) =>
      describeMismatch({ number: 1, versions: versions(theirs) }, versions(ours))
        .split('. ')
        .slice(1)
        .join('. ');
    expect(advice(built, 2)).to.equal('Set RULES_MODULE to the module shop-2 version 3');
    expect(advice(built, withModule(2, { ...SHOP, name: 'other' }))).to.equal(
      'Set RULES_MODULE to the module shop-2 version 3',
    );
    expect(advice(built, withModule(2, { ...SHOP, fingerprint: 'abc' }))).to.equal(
      'The content of the module changed, but its version did not. Restore the content, or raise the version',
    );
    expect(advice(built, withModule(2, { ...SHOP, version: 4 }))).to.equal('');
    expect(advice(1, built)).to.equal('');
  });
});
