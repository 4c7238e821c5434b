import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Admission, Pace } from './admission.ts';

const never = new AbortController().signal;
/** A wait for readers ends late by at most this time, in milliseconds. */
const POLL_MS = 20;

/** Lets only the tests move the clock, so that the machine's load cannot change a duration. */
function stopTheClock(): void {
  before(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    // The code under test imports its timer by name.
    syncBuiltinESMExports();
  });
  after(() => {
    mock.timers.reset();
    syncBuiltinESMExports();
  });
}

/** Moves the clock in steps of a millisecond, so that timers that other timers start also fire in time. */
async function pass(ms: number, isOver = () => false): Promise<void> {
  for (let passed = 0; passed < ms && !isOver(); passed++) {
    mock.timers.tick(1);
    await turn();
  }
}

/** How long the work takes on the clock, in milliseconds. The clock stops after `atMost`. */
async function timed(work: Promise<unknown>, atMost = 10_000): Promise<number> {
  const startedAt = Date.now();
  let isOver = false;
  void work.then(() => {
    isOver = true;
  });
  await turn();
  await pass(atMost, () => isOver);
  return Date.now() - startedAt;
}

describe('admission', () => {
  stopTheClock();

  it('does not wait if there are no readers', async () => {
    const admission = new Admission(undefined, { reading: false });
    const admitted = Array.from({ length: 10 }, () => admission.admit(1_000_000, never));
    expect(await timed(Promise.all(admitted))).to.equal(0);
  });

  it('admits one chunk at a time while clients read, and then waits for twice its duration', async () => {
    const admission = new Admission(undefined, { reading: true });
    const done = await admission.admit(1, never);
    const second = admission.admit(1, never);
    await pass(150);
    done();
    expect(await timed(second)).to.be.within(300, 300 + POLL_MS);
  });

  it('continues at full speed when the clients have stopped reading', async () => {
    const readers = { reading: true };
    const admission = new Admission(undefined, readers);
    await admission.admit(1, never);
    const second = admission.admit(1, never);
    expect(await timed(second, 1_000), 'while they read').to.equal(1_000);
    readers.reading = false;
    expect(await timed(second)).to.be.at.most(POLL_MS);
  });

  it('keeps to a rate with and without readers', async () => {
    for (const reading of [true, false]) {
      const admission = new Admission(1_000, { reading });
      await admission.admit(200, never);
      expect(await timed(admission.admit(1, never))).to.equal(200);
    }
  });

  it('ends a wait when the signal aborts', async () => {
    const admission = new Admission(undefined, { reading: true });
    await admission.admit(1, never);
    const stop = new AbortController();
    const second = admission.admit(1, stop.signal);
    stop.abort();
    expect(await timed(second)).to.equal(0);
  });

  it('shares a rate among the builders', async () => {
    const admission = new Admission(1_000, { reading: false }, () => 3);
    await admission.admit(100, never);
    expect(await timed(admission.admit(1, never))).to.equal(300);
  });

  it('pauses longer beside readers if there are more builders', async () => {
    const admission = new Admission(undefined, { reading: true }, () => 3);
    const release = await admission.admit(1, never);
    await pass(50);
    release();
    // The pause is eight times as long as the work, so the builder works for one ninth of the time. This is a
    // third of the share that one builder alone has.
    expect(await timed(admission.admit(1, never))).to.be.within(400, 400 + POLL_MS);
  });
});

describe('pace', () => {
  stopTheClock();

  it('admits the first caller at once, and each following caller according to the rate', async () => {
    const pace = new Pace(1_000);
    expect(await timed(pace.admit(50, never))).to.equal(0);
    expect(await timed(pace.admit(1, never))).to.equal(50);
  });

  it('delays no caller if there is no rate', async () => {
    const pace = new Pace(undefined);
    const admitted = Array.from({ length: 100 }, () => pace.admit(1_000_000, never));
    expect(await timed(Promise.all(admitted))).to.equal(0);
  });

  it('ends a wait when the signal aborts', async () => {
    const pace = new Pace(1);
    await pace.admit(1_000, never);
    const stop = new AbortController();
    const waiting = pace.admit(1, stop.signal);
    stop.abort();
    expect(await timed(waiting)).to.equal(0);
  });

  it('reports a long wait every second, so the caller does not count as stalled', async () => {
    const pace = new Pace(1);
    await pace.admit(60, never);
    const stop = new AbortController();
    let waits = 0;
    const waiting = pace.admit(1, stop.signal, () => waits++);
    await pass(3_500);
    expect(waits).to.equal(3);
    stop.abort();
    await waiting;
  });

  it('shares one allowance among concurrent callers', async () => {
    const pace = new Pace(1_000);
    const admitted = [40, 40, 40].map((count) => pace.admit(count, never));
    expect(await timed(Promise.all(admitted))).to.equal(80);
  });
});
