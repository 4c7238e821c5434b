import type { Client } from '@elastic/elasticsearch';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import type { CommandContext } from '../command-context.ts';
import { FirstRows, recordRows } from './recorded-rows.ts';

describe('the recorded rows of a comparison', () => {
  it('are the first 1,000', () => {
    const first = new FirstRows<number>();
    for (let row = 0; row < 2_000; row++) first.add(row);
    expect([first.rows.length, first.rows.at(-1)]).to.deep.equal([1_000, 999]);
  });

  it('end before 4 MiB, even if a later row is small', () => {
    const first = new FirstRows<string>();
    for (const row of ['a'.repeat(3 * 1024 * 1024), 'b'.repeat(2 * 1024 * 1024), 'c']) first.add(row);
    expect(first.rows).to.have.length(1);
  });

  it('do not end the comparison if Elasticsearch refuses them', async () => {
    const refused: string[] = [];
    const index = async ({ id }: { id: string }) => {
      refused.push(id);
      throw new Error('413');
    };
    const context = {
      client: { index } as unknown as Client,
      settings: { INDEX_PREFIX: 'p' } as CommandContext['settings'],
      log: createLog('cli', 'silent'),
    };
    const rows = { at: '2026-11-01T12:00:00Z', generation: 1, differences: [], refusal: 'too many' };
    await recordRows(context, rows, 'unused');
    expect(refused).to.deep.equal(['reconciliation']);
  });
});
