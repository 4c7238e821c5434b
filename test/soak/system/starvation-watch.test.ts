import { expect } from 'chai';
import { Ledger } from '../checks/ledger.ts';
import { watchStarvation } from './starvation-watch.ts';

describe('watchStarvation', () => {
  const FAST = { starvedAfterMs: 20, everyMs: 1 };

  /** Runs the watch until it has called each of these probes. */
  const watched = async (probes: (() => Promise<unknown>)[]) => {
    const ledger = new Ledger();
    const ending = new AbortController();
    const probe = () => {
      const next = probes.shift();
      if (next) return next();
      ending.abort();
      return Promise.resolve();
    };
    await watchStarvation(probe, ledger, ending.signal, FAST);
    return ledger.windows;
  };
  const quick = () => Promise.resolve();
  const failing = () => Promise.reject(new Error('connection refused'));

  it('opens no window while searches are quick or fail', async () => {
    expect(await watched([quick, failing, quick])).to.deep.equal([]);
  });

  it('has one window from the beginning of the first slow search to the end of the first quick one', async () => {
    let quickAt = 0;
    let slowEndedAt = Number.POSITIVE_INFINITY;
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 4 * FAST.starvedAfterMs));
      slowEndedAt = Math.min(slowEndedAt, performance.now());
    };
    let endedAt = 0;
    const windows = await watched([
      async () => {
        quickAt = performance.now();
      },
      slow,
      slow,
      async () => {
        endedAt = performance.now();
      },
      quick,
    ]);
    expect(windows.map(({ kind }) => kind)).to.deep.equal(['starved-machine']);
    expect(windows[0]?.from).to.be.within(quickAt, slowEndedAt);
    expect(windows[0]?.to).to.be.at.least(endedAt);
  });

  it('closes its window at the end of the run', async () => {
    const ledger = new Ledger();
    const ending = new AbortController();
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 4 * FAST.starvedAfterMs));
      ending.abort();
    };
    await watchStarvation(slow, ledger, ending.signal, FAST);
    expect(ledger.windows).to.have.length(1);
    expect(ledger.windows[0]?.to).to.be.a('number');
  });
});
