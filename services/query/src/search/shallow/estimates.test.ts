import { setImmediate as settled } from 'node:timers/promises';
import { expect } from 'chai';
import { Estimates } from './estimates.ts';

const none = () => Promise.reject(new Error('unexpected count'));

describe('estimates', () => {
  it('count the histogram in the background, and again after a minute', async () => {
    let now = 0;
    let total = 1;
    let counted = 0;
    const countOrder = async () => {
      counted++;
      return { total, ranges: [] };
    };
    const estimates = new Estimates({ countOrder, sampleIds: none }, () => now);
    expect(estimates.histogram('newest'), 'no caller waits for it').to.equal(undefined);
    expect(estimates.histogram('newest')).to.equal(undefined);
    await settled();
    expect(estimates.histogram('newest')?.total).to.equal(1);
    expect(counted).to.equal(1);
    now = 60_000;
    total = 2;
    expect(estimates.histogram('newest')?.total, 'the old histogram stays in use meanwhile').to.equal(1);
    await settled();
    expect(estimates.histogram('newest')?.total).to.equal(2);
    expect(counted).to.equal(2);
  });

  it('count each order for itself', async () => {
    const counted: string[] = [];
    const countOrder = async (order: string) => {
      counted.push(order);
      return { total: counted.length, ranges: [] };
    };
    const estimates = new Estimates({ countOrder, sampleIds: none });
    for (const order of ['price', 'rating', 'price'] as const) estimates.histogram(order);
    await settled();
    expect(counted).to.deep.equal(['price', 'rating']);
    expect([estimates.histogram('price')?.total, estimates.histogram('rating')?.total]).to.deep.equal([1, 2]);
  });

  it('retry one second after a failed count', async () => {
    let now = 0;
    let tries = 0;
    const countOrder = () => {
      tries++;
      return Promise.reject(new Error('no'));
    };
    const estimates = new Estimates({ countOrder, sampleIds: none }, () => now);
    for (const [at, expected] of [
      [0, 1],
      [999, 1],
      [1_000, 2],
    ] as const) {
      now = at;
      expect(estimates.histogram('newest')).to.equal(undefined);
      await settled();
      expect(tries, `at ${at}`).to.equal(expected);
    }
  });

  it('limit the totals by the bytes of their names', () => {
    const estimates = new Estimates({ countOrder: none, sampleIds: none });
    const name = (n: number) => `${n} ${'x'.repeat(8_000)}`;
    for (let n = 0; n < 1_000; n++) estimates.setTotal(name(n), n);
    const kept = Array.from({ length: 1_000 }, (_, n) => estimates.total(name(n))).filter(
      (total) => total !== undefined,
    );
    expect(kept.length).to.be.within(400, 550);
    expect(kept.at(-1)).to.equal(999);
  });

  it('return a density near its point, for the same filter only', () => {
    const estimates = new Estimates({ countOrder: none, sampleIds: none });
    estimates.setDensity({ lat: -25.43, lon: -49.27 }, 'a', 0.5);
    expect(estimates.densityAt({ lat: -25.49, lon: -49.21 }, 'a')).to.equal(0.5);
    expect(estimates.densityAt({ lat: -25.49, lon: -49.21 }, 'b')).to.equal(undefined);
    expect(estimates.densityAt({ lat: -25.53, lon: -49.27 }, 'a')).to.equal(undefined);
  });

  it('limit the densities by the bytes of their names', () => {
    const estimates = new Estimates({ countOrder: none, sampleIds: none });
    const [point, name] = [{ lat: 0, lon: 0 }, (n: number) => `${n} ${'x'.repeat(8_000)}`];
    for (let n = 0; n < 1_000; n++) estimates.setDensity(point, name(n), n);
    const kept = Array.from({ length: 1_000 }, (_, n) => estimates.densityAt(point, name(n))).filter(
      (density) => density !== undefined,
    );
    expect(kept.length).to.be.within(400, 550);
    expect(kept.at(-1)).to.equal(999);
  });
});
