import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Job, runJobs } from './job-queue.ts';

describe('the queue of test processes', () => {
  const events: string[] = [];
  const ends = new Map<string, () => void>();
  const job = (name: string, lane: Job['lane'] = 'shared', needsEngines = false): Job => ({
    lane,
    needsEngines,
    run: () => {
      events.push(`${name} starts`);
      return new Promise((resolve) => ends.set(name, resolve));
    },
  });
  const end = async (...names: string[]) => {
    for (const name of names) {
      events.push(`${name} ends`);
      ends.get(name)?.();
    }
    await turn();
  };
  const never = new AbortController().signal;
  const ready = Promise.resolve();
  beforeEach(() => events.splice(0));

  it('runs jobs in order, up to the limit of concurrent jobs', async () => {
    const done = runJobs(
      ['a', 'b', 'c'].map((name) => job(name)),
      2,
      ready,
      never,
    );
    await turn();
    expect(events).to.deep.equal(['a starts', 'b starts']);
    await end('a');
    await end('b', 'c');
    expect(events).to.deep.equal(['a starts', 'b starts', 'a ends', 'c starts', 'b ends', 'c ends']);
    expect(await done).to.deep.equal([]);
  });

  it('delays jobs until their engines are ready, and runs other jobs first', async () => {
    const engines = Promise.withResolvers<void>();
    const done = runJobs([job('needs', 'shared', true), job('free')], 2, engines.promise, never);
    await turn();
    expect(events).to.deep.equal(['free starts']);
    engines.resolve();
    await turn();
    await end('free', 'needs');
    await done;
    expect(events).to.deep.equal(['free starts', 'needs starts', 'free ends', 'needs ends']);
  });

  it('runs only one job with its own engines at a time', async () => {
    const done = runJobs([job('a', 'own engines'), job('b', 'own engines'), job('c')], 3, ready, never);
    await turn();
    expect(events).to.deep.equal(['a starts', 'c starts']);
    await end('a');
    await end('b', 'c');
    await done;
    expect(events.slice(2, 4)).to.deep.equal(['a ends', 'b starts']);
  });

  it('runs jobs that must run alone at the end, one after the other', async () => {
    const done = runJobs([job('x', 'alone'), job('y', 'alone'), job('a')], 3, ready, never);
    await turn();
    await end('a');
    await end('x');
    await end('y');
    await done;
    expect(events).to.deep.equal(['a starts', 'a ends', 'x starts', 'x ends', 'y starts', 'y ends']);
  });

  it('throws the error of the engines after the jobs that need no engines', async () => {
    const done = runJobs(
      [job('needs', 'shared', true), job('free')],
      1,
      Promise.reject(new Error('no Java')),
      never,
    );
    const failure = done.catch((error: Error) => error.message);
    await turn();
    await end('free');
    expect(await failure).to.equal('no Java');
    expect(events).to.deep.equal(['free starts', 'free ends']);
  });

  it('starts no job after an abort, waits for running jobs, and returns the jobs that did not start', async () => {
    const abort = new AbortController();
    const [a, b, c] = [job('a'), job('b'), job('c', 'alone')];
    const done = runJobs([a, b, c], 1, ready, abort.signal);
    await turn();
    abort.abort();
    await end('a');
    expect(await done).to.deep.equal([b, c]);
    expect(events).to.deep.equal(['a starts', 'a ends']);
  });
});
