import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { Problem } from '../../contract/problem.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { createAccounts, createClientOf, RateLimit } from './client-rate-limit.ts';

describe('the account of a client', () => {
  const request = { socket: { remoteAddress: '192.0.2.1' }, headers: {} } as IncomingMessage;
  const accounts = (perMinute: number) =>
    createAccounts(new RateLimit(perMinute), createClientOf(0), createMetrics());

  it('pays for each message of a batch before it is processed', () => {
    const account = accounts(10)(request);
    expect(account.client).to.equal('192.0.2.1');
    account.charge(9);
    expect(() => account.charge(9)).to.throw(Problem, 'may send 10 requests');
  });

  it('pays for the work of a request after it was done', () => {
    const accountOf = accounts(10);
    accountOf(request).settle(40);
    expect(() => accountOf(request).charge(1)).to.throw(Problem);
    // A cost of zero counts as no request.
    accountOf(request).charge(0);
  });
});
