import { expect } from 'chai';
import type { Status } from '../status/status.ts';
import type { Job } from './jobs.ts';
import { rebuildProgress } from './rebuild-progress.ts';

const running = { generation: 2, phase: 'folding', done: 0, total: 10, alive: true, builders: [] };
const status = (more = {}) => ({ running: { ...running, ...more } }) as unknown as Status;
const job = (more: Partial<Job> = {}): Job => ({
  id: 1,
  action: 'replay',
  arguments: {},
  state: 'running',
  startedAt: '2026-01-01T00:00:00Z',
  messages: '',
  ...more,
});
const reported = { label: 'folding', done: 0, total: 10, rate: undefined };
const progress = { label: 'deriving', done: 49, total: 100, rate: 10 };

describe('the progress of a rebuild', () => {
  it('begins with the command, before the status knows the generation', () => {
    expect(rebuildProgress(undefined, [job()], undefined)).to.deep.equal({ job: 1 });
    expect(rebuildProgress({} as Status, [job({ action: 'verify' })], undefined)).to.equal(undefined);
  });

  it("is that of the console's own command, although the builders have reported an older one", () => {
    expect(rebuildProgress(status(), [job({ progress })], reported)).to.deep.equal({
      job: 1,
      generation: 2,
      progress,
    });
  });

  it('is that of the builders if another process runs the rebuild, with the time left', () => {
    const ended = job({ endedAt: '2026-01-01T00:01:00Z', state: 'done' });
    expect(rebuildProgress(status(), [ended], { ...reported, done: 4, rate: 3 })).to.deep.equal({
      generation: 2,
      progress: { label: 'folding', done: 4, total: 10, rate: 3, secondsLeft: 2 },
    });
    expect(rebuildProgress(status({ alive: false }), [], reported)).to.equal(undefined);
  });
});
