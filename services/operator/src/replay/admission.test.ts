import { expect } from 'chai';
import { Admission, Pace } from './admission.ts';

describe('admission', () => {
  const never = new AbortController().signal;
  const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const isWaiting = async (admitted: Promise<unknown>) =>
    (await Promise.race([admitted.then(() => 'admitted'), pass(60).then(() => 'waiting')])) === 'waiting';

  it('does not wait if there are no readers', async () => {
    const admission = new Admission(undefined, { reading: false });
    await Promise.all(Array.from({ length: 10 }, () => admission.admit(1_000_000, never)));
  });

  it('admits one chunk at a time while clients read, and then waits for twice its duration', async () => {
    const admission = new Admission(undefined, { reading: true });
    const startedAt = Date.now();
    const done = await admission.admit(1, never);
    const second = admission.admit(1, never);
    await pass(150);
    const ended = Date.now();
    done();
    await second;
    expect(Date.now() - ended).to.be.at.least(2 * (ended - startedAt));
  });

  it('continues at full speed when the clients have stopped reading', async () => {
    const readers = { reading: true };
    const admission = new Admission(undefined, readers);
    await admission.admit(1, never);
    const second = admission.admit(1, never);
    expect(await isWaiting(second)).to.equal(true);
    readers.reading = false;
    await second;
  });

  it('keeps to a rate with and without readers', async () => {
    const admission = new Admission(1_000, { reading: true });
    await admission.admit(200, never);
    const second = admission.admit(1, never);
    expect(await isWaiting(second)).to.equal(true);
    await second;
  });

  it('ends a wait when the signal aborts', async () => {
    const admission = new Admission(undefined, { reading: true });
    await admission.admit(1, never);
    const stop = new AbortController();
    const second = admission.admit(1, stop.signal);
    stop.abort();
    await second;
  });

  it('shares a rate among the builders', async () => {
    const admission = new Admission(1_000, { reading: false }, () => 3);
    await admission.admit(100, never);
    const started = performance.now();
    await admission.admit(1, never);
    expect(performance.now() - started).to.be.within(250, 2_000);
  });

  it('pauses longer beside readers if there are more builders', async () => {
    const admission = new Admission(undefined, { reading: true }, () => 3);
    const release = await admission.admit(1, never);
    await pass(50);
    release();
    const started = performance.now();
    await admission.admit(1, never);
    // The pause is eight times as long as the work, so the builder works for one ninth of the time. This is a
    // third of the share that one builder alone has.
    expect(performance.now() - started).to.be.within(350, 5_000);
  });
});

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

  it('delays no caller if there is no rate', async () => {
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

  it('reports a long wait every second, so the caller does not count as stalled', async () => {
    const pace = new Pace(1);
    await pace.admit(60, never);
    let waits = 0;
    await pace.admit(1, AbortSignal.timeout(1_200), () => waits++);
    expect(waits).to.be.at.least(1);
  });

  it('shares one allowance among concurrent callers', async () => {
    const pace = new Pace(1_000);
    expect(
      await timed(() => Promise.all([40, 40, 40].map((count) => pace.admit(count, never)))),
    ).to.be.within(60, 1_000);
  });
});
