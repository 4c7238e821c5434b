import type { Client } from '@elastic/elasticsearch';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { lastEntry } from './last-entry.ts';

/** A client that returns the next pair of numbers for each statistics request. */
function clientWith(statistics: { checkpoint: number; last: number }[]) {
  const left = [...statistics];
  const stats = async () => {
    const { checkpoint, last } = left.shift() ?? { checkpoint: Number.NaN, last: Number.NaN };
    const copy = { routing: { primary: true }, seq_no: { global_checkpoint: checkpoint, max_seq_no: last } };
    return { indices: { changes: { shards: { 0: [copy] } } } };
  };
  return { client: { indices: { stats } } as unknown as Client, left };
}

describe('last entry', () => {
  const log = createLog('cli', 'silent');
  const { signal } = new AbortController();

  it('is above the checkpoint while an earlier operation is in progress, and waits for it', async () => {
    const { client, left } = clientWith([
      { checkpoint: 7, last: 9 },
      { checkpoint: 7, last: 10 },
      { checkpoint: 11, last: 12 },
    ]);
    expect(await lastEntry({ client, signal, log }, 'changes')).to.equal(9);
    expect(left).to.deep.equal([]);
  });

  it('does not wait for operations that begin later', async () => {
    const { client } = clientWith([
      { checkpoint: 8, last: 9 },
      { checkpoint: 9, last: 500 },
    ]);
    expect(await lastEntry({ client, signal, log }, 'changes')).to.equal(9);
  });

  it('ends when the operator interrupts the command', async () => {
    const { client } = clientWith([
      { checkpoint: 7, last: 9 },
      { checkpoint: 7, last: 9 },
    ]);
    const error = await lastEntry({ client, signal: AbortSignal.abort(), log }, 'changes').catch(String);
    expect(error).to.include('AbortError');
  });
});
