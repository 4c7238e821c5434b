import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { withResults } from './readme.ts';
import type { Results, Row } from './results.ts';

describe('README of the bench', () => {
  it('shows the stored results, and has at most 1,500 words', async () => {
    const read = (file: string) => readFile(join(import.meta.dirname, file), 'utf8');
    const page = await read('README.md');
    const expected = withResults(page, JSON.parse(await read('results.json')) as Results);
    expect(page, 'npm run bench -- --readme writes the table').to.equal(expected);
    expect(page.split(/\s+/).length).to.be.at.most(1_500);
  });

  it('groups the rows of a part by peer and target, and marks those that miss it', () => {
    const row = (measure: string, ratio: number): Row => ({
      measure,
      unit: 'ms',
      ours: 2,
      peer: { name: 'raw', figure: 4 },
      ratio,
      target: { atMost: 1 },
    });
    const rows: Row[] = [
      row('page, a', 0.5),
      row('page, b', 1.5),
      { measure: 'memory', unit: 'MB', ours: 3, target: { atMost: 4 } },
      { measure: 'without a target', unit: 'MB', ours: 5 },
    ];
    const part = { rows, at: '2026-11-23T01:00:00Z', items: 3_000 } as unknown as Results[string];
    const page = `before\n<!-- results: npm run bench -- --readme -->\nold\n<!-- end of results -->\nafter\n`;
    expect(withResults(page, { paging: part }).split('\n').slice(5, 10)).to.deep.equal([
      '| `paging` | page, … (a: 0.5; b: **1.5**) | raw | ≤ 1 |',
      '| `paging` | memory: 3 | – | ≤ 4 MB |',
      '',
      '- 2026-11-23 with 3,000 items: all parts',
      '',
    ]);
    const later = { ...part, at: '2026-11-24T01:00:00Z' };
    const dates = withResults(page, { paging: part, queries: part, cpu: later })
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(dates).to.deep.equal([
      '- 2026-11-23 with 3,000 items: all other parts',
      '- 2026-11-24 with 3,000 items: `cpu`',
    ]);
  });
});
