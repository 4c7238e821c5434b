import { expect } from 'chai';
import { Pace } from './pace.ts';

describe('pace', () => {
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const never = new AbortController().signal;

  it('admits the first caller at once, and each following caller according to the rate', async () => {
    const pace = new Pace(1_000);
    expect(await timed(() => pace.admit(50, never))).to.be.below(30);
    expect(await timed(() => pace.admit(1, never))).to.be.within(15, 500);
  });

  it('delays no caller without a rate', async () => {
    const pace = new Pace(undefined);
    expect(
      await timed(() => Promise.all(Array.from({ length: 100 }, () => pace.admit(1_000_000, never)))),
    ).to.be.below(50);
  });

  it('ends a wait when the signal aborts', async () => {
    const pace = new Pace(1);
    await pace.admit(1_000, never);
    const stop = new AbortController();
    const waiting = timed(() => pace.admit(1, stop.signal));
    stop.abort();
    expect(await waiting).to.be.below(200);
  });

  it('shares one allowance among concurrent callers', async () => {
    const pace = new Pace(1_000);
    expect(
      await timed(() => Promise.all([40, 40, 40].map((count) => pace.admit(count, never)))),
    ).to.be.within(60, 1_000);
  });
});
