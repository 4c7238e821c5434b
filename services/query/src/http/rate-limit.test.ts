import { expect } from 'chai';
import { RateLimit } from './limits/client-rate-limit.ts';

describe('rate limit', () => {
  let now = 0;
  const limit = (perMinute: number) => {
    now = 0;
    return new RateLimit(perMinute, () => now);
  };

  it('counts down, refuses further requests, and starts again after a minute', () => {
    const three = limit(3);
    expect([1, 2, 3, 4].map(() => three.count('a'))).to.deep.equal([
      { isExceeded: false, remaining: 2, resetSeconds: 60 },
      { isExceeded: false, remaining: 1, resetSeconds: 60 },
      { isExceeded: false, remaining: 0, resetSeconds: 60 },
      { isExceeded: true, remaining: 0, resetSeconds: 60 },
    ]);
    now = 59_001;
    expect(three.count('a')).to.deep.equal({ isExceeded: true, remaining: 0, resetSeconds: 1 });
    now = 60_000;
    expect(three.count('a')).to.deep.equal({ isExceeded: false, remaining: 2, resetSeconds: 60 });
  });

  it('counts each client separately', () => {
    const one = limit(1);
    one.count('a');
    expect([one.count('a').isExceeded, one.count('b').isExceeded]).to.deep.equal([true, false]);
  });

  it('tracks a limited number of clients', () => {
    const one = limit(1);
    one.count('first');
    for (let i = 0; i < 50_000; i++) one.count(`client-${i}`);
    expect(one.count('first').isExceeded).to.equal(false);
  });

  it('reports the limit and the number of requests left as structured fields', () => {
    const three = limit(3);
    expect(three.headers(three.count('a'))).to.deep.equal([
      'RateLimit-Policy',
      '"client";q=3;w=60',
      'RateLimit',
      '"client";r=2;t=60',
    ]);
  });
});
