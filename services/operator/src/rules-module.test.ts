import { RULES, rulesWith } from '@vitrine/listing';
import { expect } from 'chai';
import { assertBuildable } from './rules-module.ts';

describe('a build without the rules module', () => {
  const rules = rulesWith({ name: 'shop', version: 1, text: { title: (title) => title } }, 'abc');
  const registry = { generations: [] } as never;

  it('is refused if RULES_MODULE names one, because the build would use it', () => {
    expect(() => assertBuildable(registry, undefined, rules, true)).to.throw(/contradicts RULES_MODULE/);
    expect(() => assertBuildable(registry, undefined, RULES, true)).not.to.throw();
    expect(() => assertBuildable(registry, undefined, rules, false)).not.to.throw();
  });
});
