import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { printable } from './plain-text.ts';
import { shellWord } from './shell-word.ts';

describe('a word of a shell', () => {
  it('is what the shell reads, and does not control the terminal', () => {
    const texts = [
      'apt-1',
      'a b',
      "it's",
      '$(reboot) `reboot` "x" \\ !',
      '-rf',
      'línea\nnova\ttab',
      "\x1b[31m\u202eevil\\n'",
      '😀',
      '',
    ];
    const words = texts.map(shellWord);
    for (const word of words) expect(printable(word)).to.equal(word);
    for (const LC_ALL of ['C.UTF-8', 'C']) {
      const program = `printf '%s\\0' ${words.join(' ')}`;
      const env = { ...process.env, LC_ALL };
      const read = execFileSync('bash', ['-c', program], { env, encoding: 'utf8' });
      expect(read.split('\0').slice(0, -1), LC_ALL).to.deep.equal(texts);
    }
  });
});
