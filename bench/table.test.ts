import { expect } from 'chai';
import type { PartResult, Row } from './results.ts';
import { resultTable } from './table.ts';

describe('table of the bench', () => {
  const row = (measure: string): Row => ({
    measure,
    unit: 'ms',
    ours: 2,
    peer: { name: 'peer', figure: 4 },
    ratio: 0.5,
    target: { atMost: 1 },
  });
  const complete: PartResult = {
    status: 'complete',
    rows: [row('page')],
    figures: {},
    notRun: ['every row against X: absent'],
  };

  it("judges a complete part's rows", () => {
    expect(resultTable({ cpu: complete }).split('\n')).to.deep.equal([
      '      ours  peer        ratio  target',
      'page  2 ms     4  peer    0.5     ≤ 1  met',
      '',
      'cpu: not run: every row against X: absent',
    ]);
  });

  it('shows the second peer of a row', () => {
    const rows = [{ ...row('page'), second: { name: 'other', figure: 3, ratio: 1.5 } }, row('count')];
    expect(
      resultTable({ queries: { ...complete, rows } })
        .split('\n')
        .slice(0, 3),
    ).to.deep.equal([
      '       ours  peer        ratio  target       second peer         ratio',
      'page   2 ms     4  peer    0.5     ≤ 1  met            3  other    1.5',
      'count  2 ms     4  peer    0.5     ≤ 1  met',
    ]);
  });

  it("marks a partial part's rows, and gives the reason for every incomplete part", () => {
    const partial: PartResult = {
      status: 'partial',
      reason: 'interrupted: SIGINT',
      rows: [row('page')],
      figures: {},
    };
    const failed: PartResult = {
      status: 'failed',
      reason: 'part cached did not finish within 5 s',
      rows: [],
      figures: {},
    };
    const lines = resultTable({ queries: partial, cached: failed }).split('\n');
    expect(lines[1]).to.match(/ met \(part incomplete\)$/);
    expect(lines.slice(-2)).to.deep.equal([
      'PARTIAL: part queries, 1 rows: interrupted: SIGINT',
      'FAILED: part cached, 0 rows: part cached did not finish within 5 s',
    ]);
  });
});
