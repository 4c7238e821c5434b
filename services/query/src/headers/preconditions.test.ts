import { expect } from 'chai';
import { evaluatePreconditions, preconditionsOf } from './preconditions.ts';

const ETAG = 'W/"a"';
const evaluate = (headers: Record<string, string>) => evaluatePreconditions(preconditionsOf(headers), ETAG);

describe('If-None-Match', () => {
  const cases: [header: string, names: boolean][] = [
    ['W/"a"', true],
    ['"a"', true],
    ['  "a"  ', true],
    ['"b", W/"a"', true],
    ['"b","a"', true],
    ['"b" ,\t"a"', true],
    [', ,"a",', true],
    ['"x,y", "a"', true],
    ['*', true],
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
    ['"b"a"', false],
    ['"b", *', false],
    ['W/ "a"', false],
  ];
  for (const [header, names] of cases) {
    it(`${JSON.stringify(header)} ${names ? 'names' : 'does not name'} ${ETAG}`, () =>
      expect(evaluate({ 'if-none-match': header })).to.equal(names ? 'not-modified' : 'page'));
  }

  it('is evaluated despite a Cache-Control of the request', () =>
    expect(evaluate({ 'if-none-match': ETAG, 'cache-control': 'no-cache', pragma: 'no-cache' })).to.equal(
      'not-modified',
    ));

  it('counts as absent beyond its limit', () => {
    const list = (tags: number) => ({ 'if-none-match': `${'"b",'.repeat(tags)}${ETAG}` });
    expect([evaluate(list(1_000)), evaluate(list(1_100))]).to.deep.equal(['not-modified', 'page']);
  });
});

describe('If-Match', () => {
  it('matches only `*`, because every tag is weak', () => {
    expect(evaluate({ 'if-match': '*' })).to.equal('page');
    for (const header of [ETAG, '"a"', '"b"', 'a', ',', `"b", ${ETAG}`, '*, "a"', 'a'.repeat(16_000)])
      expect(evaluate({ 'if-match': header }), header.slice(0, 20)).to.equal('failed');
  });

  it('is evaluated before If-None-Match', () => {
    expect(evaluate({ 'if-match': '"b"', 'if-none-match': ETAG })).to.equal('failed');
    expect(evaluate({ 'if-match': '*', 'if-none-match': ETAG })).to.equal('not-modified');
  });

  it('counts as absent if it is empty', () => expect(evaluate({ 'if-match': '' })).to.equal('page'));
});
