import { expect } from 'chai';
import { parseCommand } from './command-line.ts';

describe('the command line of npm start', () => {
  it('accepts no options, or --demo', () => {
    expect(parseCommand([])).to.deep.equal({ do: 'run', demo: false });
    expect(parseCommand(['--demo'])).to.deep.equal({ do: 'run', demo: true });
  });

  it('prints its help', () => {
    expect(parseCommand(['--help'])).to.deep.equal({ do: 'help' });
  });

  it('refuses unknown options', () => {
    for (const args of [['--demos'], ['demo'], ['--demo=yes']])
      expect(parseCommand(args)).to.include({ do: 'refuse' });
  });
});
