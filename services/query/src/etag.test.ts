import { expect } from 'chai';
import { namesEtag, weakEtag } from './etag.ts';

describe('entity tag', () => {
  it('is weak, and the same for the same content', () => {
    expect(weakEtag('a')).to.match(/^W\/"[\w-]{43}"$/);
    expect(weakEtag('a')).to.equal(weakEtag('a'));
    expect(weakEtag('a')).not.to.equal(weakEtag('b'));
  });
});

describe('If-None-Match', () => {
  const cases: [header: string | undefined, named: boolean][] = [
    ['W/"a"', true],
    ['"a"', true],
    ['  "a"  ', true],
    ['"b", W/"a"', true],
    ['"b","a"', true],
    ['"b" ,\t"a"', true],
    [', ,"a",', true],
    ['"x,y", "a"', true],
    ['*', true],
    [' * ', true],
    [undefined, false],
    ['', false],
    [',', false],
    ['a', false],
    ['W/a', false],
    ['w/"a"', false],
    ['"b"', false],
    ['W/"ab"', false],
    ['"A"', false],
    ['"', false],
    ['"a', false],
    ['a"', false],
    ['"b" "a"', false],
    ['"a b", "a"', false],
    ['"b"a"', false],
    ['"b", *', false],
    ['W/ "a"', false],
  ];
  for (const [header, named] of cases) {
    it(`${JSON.stringify(header)} ${named ? 'names' : 'does not name'} W/"a"`, () => expect(namesEtag(header, 'W/"a"')).to.equal(named));
  }

  it('is read in linear time', () => {
    const start = performance.now();
    for (const part of ['"b",', ' ', ',', 'W/', '"', ' ,\t']) namesEtag(part.repeat(5_000), 'W/"a"');
    expect(performance.now() - start).to.be.below(500);
  });
});
