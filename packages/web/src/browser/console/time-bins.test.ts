import { expect } from 'chai';
import { timeBins } from './time-bins.ts';

const at = (...times: string[]) => times.map((time) => ({ time }));
const values = (letters: { time: string }[]) => timeBins(letters, 'en').map(({ value }) => value);

describe('dead letters over time', () => {
  it('are counted in twelve equal periods, even in the empty ones', () => {
    const counted = values(at('2026-01-01T10:00:10Z', '2026-01-01T10:00:50Z', '2026-01-01T10:03:00Z'));
    expect(counted).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1]);
    expect(values([])).to.deep.equal([]);
  });

  it('are all counted, however far apart they are', () => {
    for (const last of [
      '2026-01-01T10:10:00Z',
      '2026-01-02T00:00:00Z',
      '2026-03-01T00:00:00Z',
      '2036-01-01T00:00:00Z',
    ]) {
      const counted = values(at('2026-01-01T10:00:00Z', last));
      expect(counted).to.have.length(12);
      expect(counted.reduce((sum, value) => sum + value, 0)).to.equal(2);
    }
  });
});
