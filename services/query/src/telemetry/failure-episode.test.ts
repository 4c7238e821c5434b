import { expect } from 'chai';
import { FailureEpisode } from './failure-episode.ts';

describe('failure episode', () => {
  let now = 0;
  let episode: FailureEpisode;
  beforeEach(() => {
    now = 1_000;
    episode = new FailureEpisode(() => now);
  });
  /**
   * Fails `perSecond` requests per second for `seconds` seconds, and returns the summaries that became due
   * meanwhile.
   */
  const failFor = (seconds: number, perSecond: number): string[] => {
    const states: string[] = [];
    for (let second = 0; second < seconds; second++) {
      for (let i = 0; i < perSecond; i++) episode.failed('down', 1);
      now += 1_000;
      const line = episode.due();
      if (line) states.push(line.state);
    }
    return states;
  };

  it('reports nothing without a failure', () => {
    expect(episode.due()).to.equal(undefined);
    expect(episode.close()).to.equal(undefined);
  });

  it('begins only once, even if other failures follow', () => {
    expect(episode.failed('down', 1)).to.equal('first');
    expect(episode.failed('down', 1)).to.equal('known');
    expect(episode.failed('late', 1)).to.equal('new reason');
    expect(episode.failed('late', 0)).to.equal('known');
  });

  it('reports once per 30 s for 2 and for 200 failures per second', () => {
    expect(failFor(95, 2)).to.deep.equal(['continues', 'continues', 'continues']);
    episode.close();
    expect(failFor(95, 200)).to.deep.equal(['continues', 'continues', 'continues']);
  });

  it('ends 10 s after the last failure, and excludes these 10 s from its duration', () => {
    failFor(40, 3);
    episode.failed('late', 1);
    now += 9_999;
    expect(episode.due()).to.equal(undefined);
    now += 1;
    expect(episode.due()).to.deep.equal({
      state: 'ended',
      summary: { durationSeconds: 40, requests: 121, requestsSinceLast: 31, reasons: { down: 120, late: 1 } },
    });
    expect(episode.due()).to.equal(undefined);
    expect(episode.failed('down', 1)).to.equal('first');
  });

  it('continues while only background work fails, without counting requests', () => {
    episode.failed('down', 1);
    for (let second = 0; second < 29; second++) {
      episode.failed('probe', 0);
      now += 1_000;
      expect(episode.due()).to.equal(undefined);
    }
    now += 1_000;
    expect(episode.due()).to.deep.equal({
      state: 'continues',
      summary: { durationSeconds: 28, requests: 1, requestsSinceLast: 1, reasons: { down: 1 } },
    });
  });

  it('stores at most eight reasons of 200 characters', () => {
    for (let i = 0; i < 1_000; i++) episode.failed(`${i} ${'x'.repeat(5_000)}`, 1);
    const { requests, reasons } = episode.close() ?? { requests: 0, reasons: {} };
    expect(requests).to.equal(1_000);
    expect(Object.values(reasons)).to.deep.equal([1, 1, 1, 1, 1, 1, 1, 1, 992]);
    expect(JSON.stringify(reasons).length).to.be.below(2_000);
  });

  it('treats a state that flaps each second as one episode', () => {
    const states: string[] = [];
    for (let second = 0; second < 60; second++) {
      if (second % 2 === 0) episode.failed('down', 0);
      now += 1_000;
      const line = episode.due();
      if (line) states.push(line.state);
    }
    expect(states).to.deep.equal(['continues', 'continues']);
  });
});
