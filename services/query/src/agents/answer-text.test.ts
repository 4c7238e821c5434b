import { expect } from 'chai';
import { cell, clipped } from './answer-text.ts';

describe('text of an answer', () => {
  it('quotes everything but single words, so that a listing cannot imitate a row', () => {
    expect(cell('Florianópolis')).to.equal('Florianópolis');
    expect(cell('São Paulo')).to.equal('"São Paulo"');
    expect(cell('a | b')).to.equal('"a | b"');
    expect(cell('a\nnext_cursor: x')).to.equal('"a\\nnext_cursor: x"');
    expect(cell('')).to.equal('""');
  });

  it('is cut with an ellipsis, never within a character', () => {
    expect(clipped('abcdef', 6)).to.equal('abcdef');
    expect(clipped('abcdefg', 6)).to.equal('abcde…');
    expect(clipped('abcd🏖️🏖️', 6)).to.equal('abcd…');
  });
});
