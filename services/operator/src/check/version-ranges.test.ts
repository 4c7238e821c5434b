import type { Version } from '@vitrine/listing-events';
import { expect } from 'chai';
import { VersionRanges } from './version-ranges.ts';

const MS = Date.UTC(2026, 10, 1);
const kinds = (...versions: [source: string, version: Version][]) => {
  const ranges = new VersionRanges();
  for (const [source, version] of versions) ranges.add(source, version);
  return ranges.warnings().map(({ kind }) => kind);
};

describe('the versions of a listing', () => {
  it('have the same scale in all sources', () => {
    expect(kinds(['a', 1], ['a', 5_000], ['b', 5_001])).to.deep.equal([]);
    expect(kinds(['a', 5], ['b', 5_000])).to.deep.equal([]);
    expect(kinds(['a', 5], ['b', 5_001])).to.deep.equal(['version-scale']);
    expect(kinds(['b', 5_001], ['b', 7_000], ['a', 5], ['a', 1])).to.deep.equal(['version-scale']);
  });

  it('are compared within their epoch', () => {
    expect(kinds(['a', 5], ['b', [1, 5_001]])).to.deep.equal([]);
    expect(kinds(['a', [1, 5]], ['b', [1, 5_001]])).to.deep.equal(['version-scale']);
    expect(kinds(['a', MS], ['a', [1, 1]])).to.deep.equal([]);
  });

  for (const [unit, clock] of [
    ['seconds', MS / 1_000],
    ['milliseconds', MS],
    ['microseconds', MS * 1_000],
  ] as const)
    it(`are times or a sequence, within one source: ${unit}`, () => {
      expect(kinds(['a', clock], ['a', clock + 5])).to.deep.equal([]);
      expect(kinds(['a', clock], ['a', 7])).to.deep.equal(['clock-and-sequence']);
      expect(kinds(['a', 7], ['a', clock])).to.deep.equal(['clock-and-sequence']);
    });

  it('are of both kinds if some are clock times and others a sequence', () =>
    expect(kinds(['relay', 12], ['backend', MS])).to.deep.equal(['version-scale', 'clock-and-sequence']));

  it('are not times if they are near each other, or too large', () => {
    // Positions in a database log pass through the range of seconds.
    expect(kinds(['a', 900_000_000], ['a', 1_300_000_000])).to.deep.equal([]);
    expect(kinds(['a', 1], ['a', Number.MAX_SAFE_INTEGER])).to.deep.equal([]);
  });
});
