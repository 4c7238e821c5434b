import { expect } from 'chai';
import { pause, TimeLimitError, within } from './time-limit.ts';

describe('time limit of the bench', () => {
  const never = new AbortController().signal;
  const errorOf = async (promise: Promise<unknown>): Promise<Error | undefined> =>
    promise.then(
      () => undefined,
      (error: Error) => error,
    );

  it('returns the result of work that finishes in time, or throws its error', async () => {
    expect(await within('work', 1_000, never, async () => 7)).to.equal(7);
    expect(
      (await errorOf(within('work', 1_000, never, () => Promise.reject(new Error('broken')))))?.message,
    ).to.equal('broken');
  });

  it('names the work in the error if it does not finish in time', async () => {
    const error = await errorOf(within('stalled work', 20, never, () => new Promise(() => undefined)));
    expect(error).to.be.instanceOf(TimeLimitError);
    expect(error?.message).to.equal('stalled work did not finish within 0.02 s');
  });

  it('abandons work and pauses when the signal aborts, and starts no work afterwards', async () => {
    const controller = new AbortController();
    const working = errorOf(within('work', 60_000, controller.signal, () => new Promise(() => undefined)));
    const pausing = errorOf(pause(60_000, controller.signal));
    controller.abort(new Error('interrupted'));
    expect((await working)?.message).to.equal('interrupted');
    expect((await pausing)?.message).to.equal('interrupted');
    let started = false;
    const work = async () => {
      started = true;
    };
    expect((await errorOf(within('work', 1_000, controller.signal, work)))?.message).to.equal('interrupted');
    expect(started).to.equal(false);
  });

  it('ignores a later error of abandoned work', async () => {
    const work = Promise.withResolvers<never>();
    await errorOf(within('work', 5, never, () => work.promise));
    work.reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
