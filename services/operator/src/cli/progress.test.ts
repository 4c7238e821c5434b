import { expect } from 'chai';
import { Progress, progressLine } from './progress.ts';

describe('progress', () => {
  for (const [view, line] of [
    [
      { label: 'folding', done: 45_000, total: 100_000, rate: 9_850 },
      'folding  45 %  45,000 of 100,000  9,850/s  6 s left',
    ],
    [{ label: 'folding', done: 0, total: 100_000, rate: undefined }, 'folding  0 %  0 of 100,000'],
    [{ label: 'folding', done: 10, total: 10, rate: 5 }, 'folding  100 %  10 of 10  5/s'],
    [{ label: 'folding', done: 0, total: 0, rate: undefined }, 'folding  100 %  0 of 0'],
    [{ label: 'reading', done: 1_500, total: 0, rate: 5 }, 'reading  1,500  5/s'],
    [{ label: 'folding', done: 0, total: 36_000, rate: 1 }, 'folding  0 %  0 of 36,000  1/s  10.0 h left'],
    [{ label: 'folding', done: 1, total: 3, rate: 0 }, 'folding  33 %  1 of 3  0/s'],
  ] as const)
    it(line, () => expect(progressLine(view)).to.equal(line));

  const shown = (isTTY: boolean, env: NodeJS.ProcessEnv = {}) => {
    let text = '';
    let now = 1_000_000;
    const progress = new Progress({ isTTY, write: (more) => (text += more) }, env, () => now);
    for (let second = 0; second <= 12; second++, now += 1_000)
      progress.report('folding', second * 100, 2_000);
    progress.report('deriving', 1, 2);
    progress.end();
    return text;
  };

  it('rewrites one line on a terminal', () => {
    expect(shown(true).split('\n')).to.have.length(3);
    expect(shown(true)).to.include('\r\x1b[2Kfolding  60 %  1,200 of 2,000  100/s  8 s left\n');
  });

  it('prints a plain line every few seconds and at the end of each step elsewhere', () => {
    const lines = shown(false).split('\n');
    expect(lines).to.have.length(7);
    expect(lines[0]).to.equal('folding  0 %  0 of 2,000');
    expect(lines[3]).to.equal('folding  60 %  1,200 of 2,000  100/s  8 s left');
    expect(shown(false)).not.to.include('\x1b');
  });

  it('is plain on a terminal with NO_COLOR or TERM=dumb', () => {
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) expect(shown(true, env)).to.equal(shown(false));
    // Source: no-color.org. An empty value has no effect.
    for (const env of [{ NO_COLOR: '' }, { TERM: 'xterm' }]) expect(shown(true, env)).to.equal(shown(true));
  });
});
