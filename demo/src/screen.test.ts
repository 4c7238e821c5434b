import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { expect } from 'chai';
import { Screen } from './screen.ts';

function openScreen(columns?: number) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), columns === undefined ? {} : { isTTY: true, columns });
  return { screen: new Screen(stream as unknown as WriteStream), written: () => String(stream.read() ?? '') };
}

const ESC = String.fromCharCode(27);

describe('the screen', () => {
  it('writes every line and every status of its own, where nobody looks', () => {
    const { screen, written } = openScreen();
    screen.line('hello');
    screen.status('one');
    screen.status('two');
    screen.keepStatus();
    expect(written()).to.equal('hello\none\ntwo\n');
  });

  it('rewrites the status in place on a terminal, also one that takes several rows', () => {
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
