import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { actionRequest } from './action-request.ts';
import { type Job, JobRunningError, Jobs } from './jobs.ts';

const RESUME = actionRequest({ action: 'resume', arguments: { generation: 2 } });

async function ended(code: number, stdout: string): Promise<Job> {
  const { promise, resolve } = Promise.withResolvers<Job>();
  new Jobs(async () => ({ code, stdout })).start(RESUME, resolve);
  return promise;
}

describe('jobs of the console', () => {
  it('have the state of the exit code, and the result of the command line', async () => {
    const error = (kind: string) => JSON.stringify({ error: { kind, message: 'm' } });
    expect(await ended(0, '{"to":1}')).to.deep.include({ state: 'done', result: { to: 1 } });
    // Differences are a negative answer with a result.
    expect(await ended(3, '{"differences":[]}')).to.include({ state: 'done', isNegative: true });
    expect(await ended(3, error('refused'))).to.include({ state: 'refused' });
    expect(await ended(1, error('failed'))).to.include({ state: 'failed' });
    expect(await ended(130, error('interrupted'))).to.include({ state: 'cancelled' });
    expect(await ended(1, 'no JSON')).to.include({ state: 'failed' });
  });

  it('run one at a time, with progress, and end when they are cancelled', async () => {
    let report: (label: string, done: number, total: number) => void = () => undefined;
    const outcomes: string[] = [];
    const jobs = new Jobs(
      (_, { signal, onProgress }) =>
        new Promise((resolve) => {
          report = onProgress;
          signal.addEventListener('abort', () =>
            resolve({ code: 130, stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}' }),
          );
        }),
    );
    const { id } = jobs.start(RESUME, ({ state }) => outcomes.push(state));
    expect(() => jobs.start(RESUME, () => undefined)).to.throw(JobRunningError, 'resume');
    report('folding', 5, 10);
    expect(jobs.find(id)?.progress).to.deep.equal({ label: 'folding', done: 5, total: 10 });
    expect(jobs.cancel(id + 1)).to.equal(false);
    expect(jobs.cancel(id)).to.equal(true);
    expect(jobs.find(id)?.state).to.equal('cancelling');
    await turn();
    expect(outcomes).to.deep.equal(['cancelled']);
    expect(jobs.list().map(({ state }) => state)).to.deep.equal(['cancelled']);
    await jobs.close();
  });
});
