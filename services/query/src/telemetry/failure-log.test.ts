import { expect } from 'chai';
import { Abandoned } from '../cache/single-flight.ts';
import { FeedUnavailable } from '../search/search-failure.ts';
import { Overloaded } from '../search/search-limiter.ts';
import { createFailureLog, type FailureLog } from './failure-log.ts';

interface Line {
  level: 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}

describe('failure log', () => {
  let now = 0;
  let lines: Line[];
  let failures: FailureLog;
  const write = (level: Line['level']) => (fields: object, message?: string) =>
    void lines.push({ level, message: message ?? '', fields: fields as Line['fields'] });
  const messages = () => lines.map(({ level, message }) => `${level} ${message}`);
  const request = { requestId: 'r-1', url: '/api/ai-feed' };
  const down = () => new FeedUnavailable('connect ECONNREFUSED');
  const pass = (seconds: number, each: () => void = () => undefined) => {
    for (let second = 0; second < seconds; second++) {
      each();
      now += 1_000;
      failures.check();
    }
  };

  beforeEach(() => {
    now = 0;
    lines = [];
    failures = createFailureLog({ warn: write('warn'), error: write('error') } as never, () => now);
  });
  afterEach(() => failures.stop());

  it('reports an outage of one minute in four lines', () => {
    pass(60, () => {
      for (let i = 0; i < 100; i++)
        failures.requestFailed(i % 2 ? down() : new Abandoned('not done'), request);
    });
    pass(20);
    expect(messages()).to.deep.equal([
      'warn outage began',
      'warn outage continues',
      'warn outage continues',
      'warn outage ended',
    ]);
    expect(lines[0]?.fields).to.deep.equal({ reason: 'not done', ...request });
    expect(lines[1]?.fields).to.include({ requests: 3_000, requestsSinceLast: 3_000 });
    expect(lines[3]?.fields).to.deep.equal({
      durationSeconds: 59,
      requests: 6_000,
      requestsSinceLast: 0,
      reasons: { 'not done': 3_000, 'could not search the feed: connect ECONNREFUSED': 3_000 },
    });
  });

  it('counts outages, overloads and faults separately', () => {
    failures.requestFailed(down(), request);
    failures.requestFailed(new Overloaded('the line is full'), request);
    failures.requestFailed(new TypeError('x is undefined'), request);
    pass(10);
    expect(messages()).to.deep.equal([
      'warn outage began',
      'warn overload began',
      'error request failed',
      'warn outage ended',
      'warn overload ended',
      'error fault ended',
    ]);
    for (const { fields } of lines.slice(3)) expect(fields).to.include({ requests: 1 });
  });

  it('logs the stack of each distinct fault once, and the stack of the latest fault every 30 s', () => {
    const [one, other] = [new TypeError('one'), new TypeError('other')];
    pass(31, () => {
      for (let i = 0; i < 50; i++) failures.requestFailed(i % 2 ? one : other, request);
    });
    expect(messages()).to.deep.equal([
      'error request failed',
      'error request failed',
      'error fault continues',
    ]);
    expect(lines.map(({ fields }) => fields['err'])).to.deep.equal([other, one, one]);
    for (const { fields } of lines) expect(fields).to.include(request);
  });

  it('counts broken connections with different ports as one reason', () => {
    for (let port = 30_000; port < 30_050; port++)
      failures.requestFailed(
        new FeedUnavailable(`other side closed - Local: 127.0.0.1:${port}, Remote: unknown:unknown`),
        request,
      );
    pass(10);
    expect(lines.at(-1)?.fields).to.deep.include({
      reasons: { 'could not search the feed: other side closed': 50 },
    });
  });

  it('logs a fault in background work', () => {
    failures.backgroundFailed(new TypeError('in a refresh'));
    expect(messages()).to.deep.equal(['error background work failed']);
  });

  it('limits the length of a line with a long URL and reason', () => {
    failures.requestFailed(new FeedUnavailable('x'.repeat(50_000)), {
      requestId: 'r',
      url: 'y'.repeat(8_192),
    });
    expect(JSON.stringify(lines[0]?.fields).length).to.be.below(3_000);
  });

  it('logs the count of an outage that lasts until shutdown, and no failure caused by the shutdown', () => {
    failures.requestFailed(down(), request);
    failures.stop();
    failures.requestFailed(down(), request);
    failures.backgroundFailed(new TypeError('closed'));
    expect(messages()).to.deep.equal([
      'warn outage began',
      'warn outage continues while the service is stopping',
    ]);
    expect(lines[1]?.fields).to.include({ requests: 1 });
  });
});
