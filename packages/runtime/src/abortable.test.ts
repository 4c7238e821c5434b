import { expect } from 'chai';
import { abortable } from './abortable.ts';

const NEVER = new Promise<never>(() => undefined);

describe('work that can be given up', () => {
  it('has the result or the failure of the work', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(3), signal)).to.equal(3);
    const failure = await abortable(Promise.reject(new Error('x')), signal).catch(
      (error: Error) => error.message,
    );
    expect(failure).to.equal('x');
  });

  it("ends with the signal's reason, also if the signal has aborted before", async () => {
    const ending = new AbortController();
    const reason = (signal: AbortSignal) => abortable(NEVER, signal).catch((error: unknown) => error);
    const first = reason(ending.signal);
    ending.abort('Ctrl-C');
    expect([await first, await reason(ending.signal)]).to.deep.equal(['Ctrl-C', 'Ctrl-C']);
  });
});
