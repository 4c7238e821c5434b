import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { expect } from 'chai';
import { Screen } from './screen.ts';

function openScreen(columns?: number, env: NodeJS.ProcessEnv = {}) {
  const stream = Object.assign(
    new PassThrough({ encoding: 'utf8' }),
    columns === undefined ? {} : { isTTY: true, columns },
  );
  return {
    screen: new Screen(stream as unknown as WriteStream, env),
    written: () => String(stream.read() ?? ''),
  };
}

const ESC = String.fromCharCode(27);

describe('the screen', () => {
  for (const [place, columns, env] of [
    ['without a terminal', undefined, {}],
    ['with TERM=dumb', 80, { TERM: 'dumb' }],
    ['with NO_COLOR', 80, { NO_COLOR: '1' }],
  ] as const) {
    it(`writes every status as a line ${place}`, () => {
      const { screen, written } = openScreen(columns, env);
      screen.line('hello');
      screen.status('one');
      screen.status('two');
      screen.keepStatus();
      expect(written()).to.equal('hello\none\ntwo\n');
    });
  }

  it('assumes a width on a terminal that reports none', () => {
    const { screen, written } = openScreen(0);
    screen.status('one');
    screen.status('two');
    expect(written()).to.equal(`one${ESC}[1G${ESC}[0Jtwo`);
  });

  it('rewrites the status in place on a terminal, even over several rows', () => {
    const { screen, written } = openScreen(10);
    screen.status('a status of 3 rows ....');
    expect(written()).to.equal('a status of 3 rows ....');
    screen.line('hello');
    expect(written()).to.equal(`${ESC}[1G${ESC}[2A${ESC}[0Jhello\na status of 3 rows ....`);
    screen.status('one');
    expect(written()).to.equal(`${ESC}[1G${ESC}[2A${ESC}[0Jone`);
    screen.keepStatus();
    screen.line('bye');
    expect(written()).to.equal('\nbye\n');
  });
});
