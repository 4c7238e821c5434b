import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { FeedUnavailable } from '../search/search-failure.ts';
import { probeReadiness } from './readiness.ts';

describe('readiness', () => {
  it('logs how the service starts, and gives every later failure away: a state that flaps writes no line', async () => {
    const lines: string[] = [];
    const log = { info: (_: object, message: string) => lines.push(message), warn: (_: object, message: string) => lines.push(message) };
    const failures: unknown[] = [];
    const done = new EventEmitter();
    const down = new FeedUnavailable('down');
    let probes = 0;
    const search = {
      probe: async () => {
        probes++;
        if (probes > 20) done.emit('seen');
        if (probes <= 3 || probes % 2 === 1) throw down;
      },
    };
    const readiness = probeReadiness(search, log as never, (error) => failures.push(error), 1);
    await once(done, 'seen');
    readiness.stop();
    expect(lines).to.deep.equal(['not ready', 'ready']);
    expect(failures).to.deep.equal(Array(8).fill(down));
  });
});
