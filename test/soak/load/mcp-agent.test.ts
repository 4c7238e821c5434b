import { expect } from 'chai';
import { failureOf } from './mcp-agent.ts';

const answer = (text: string, isError = true) => JSON.stringify({ result: { isError, content: [{ text }] } });

describe('failureOf', () => {
  it('finds an outage and a fault behind status 200', () => {
    expect(failureOf(answer('The feed is temporarily unavailable. Try again in 5 seconds.'))).to.deep.equal({
      kind: 'status',
      status: 503,
      retryAfter: '5',
    });
    const fault = { kind: 'status', status: 500, retryAfter: null };
    expect(failureOf(answer('The service could not process this call.'))).to.deep.equal(fault);
    expect(failureOf('{"error":{"code":-32603}}')).to.deep.equal(fault);
  });

  it('accepts an answer, and an unknown listing', () => {
    expect(failureOf(answer('2 listings', false))).to.equal(undefined);
    expect(failureOf(answer('No listing has the id "x". Ids come from search_listings.'))).to.equal(
      undefined,
    );
  });
});
