import { expect } from 'chai';
import { boundedArguments } from './bounded-heap.ts';

describe('the heap of a command', () => {
  it('is bounded for reconcile, by flags that follow those of the script', () => {
    const once = boundedArguments(
      ['--max-semi-space-size=32'],
      ['node', 'main.ts', '--json', 'reconcile', '--yes'],
    );
    expect(once).to.deep.equal([
      'node',
      '--max-semi-space-size=32',
      '--max-old-space-size=160',
      '--max-semi-space-size=16',
      'main.ts',
      '--json',
      'reconcile',
      '--yes',
    ]);
  });

  it('is bounded for check', () =>
    expect(boundedArguments([], ['node', 'main.ts', 'check', 'events.json'])).to.deep.equal([
      'node',
      '--max-semi-space-size=16',
      'main.ts',
      'check',
      'events.json',
    ]));

  it('does not change a process that has the flags, and no other command', () => {
    const flags = ['--max-old-space-size=160', '--max-semi-space-size=16'];
    expect(boundedArguments(flags, ['node', 'main.ts', 'reconcile'])).to.equal(undefined);
    for (const args of [['status'], [], ['--help'], ['constructor']])
      expect(boundedArguments([], ['node', 'main.ts', ...args])).to.equal(undefined);
  });
});
