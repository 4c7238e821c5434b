import { expect } from 'chai';
import { canonicalJson } from './canonical-json.ts';

describe('canonicalJson', () => {
  it('sorts members at every level, and leaves out undefined members', () =>
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x', e: undefined })).to.equal(
      '{"a":"x","b":[{"c":null,"d":1}]}',
    ));
  it('writes numbers and text as JSON does', () =>
    expect(canonicalJson([1.5, -0, 1e21, '\n"'])).to.equal('[1.5,0,1e+21,"\\n\\""]'));
  it('escapes a lone surrogate and throws no error', () =>
    expect(canonicalJson({ title: 'a\ud800' })).to.equal('{"title":"a\\ud800"}'));
});
