import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { FeedUnavailable } from '../search/search-failure.ts';
import { probeReadiness } from './readiness.ts';

const down = new FeedUnavailable('down');

/** Runs `probes` probes with a simulated clock, and returns the logged lines and the reported failures. */
async function run(probes: number, isDown: (probe: number) => boolean, secondsPerProbe = 1) {
  const lines: string[] = [];
  const failures: unknown[] = [];
  const line = (level: string) => (_: object, message: string) => lines.push(`${level} ${message}`);
  const done = new EventEmitter();
  let count = 0;
  const probe = async () => {
    if (++count > probes) done.emit('enough');
    if (isDown(count)) throw down;
  };
  const log = { info: line('info'), warn: line('warn') };
  const options = { everyMs: 1, now: () => count * secondsPerProbe * 1_000 };
  const readiness = probeReadiness({ probe }, log as never, (error) => failures.push(error), options);
  await once(done, 'enough');
  readiness.stop();
  return { lines, failures };
}

describe('readiness', () => {
  it('does not warn if the feed becomes available within the first 30 s', async () => {
    const { lines, failures } = await run(40, (probe) => probe <= 25);
    expect(lines).to.deep.equal(['info not ready', 'info ready']);
    expect(failures).to.be.empty;
  });

  it('warns once if the feed is not available after 30 s', async () => {
    const { lines, failures } = await run(100, () => true);
    expect(lines).to.deep.equal(['info not ready', 'warn not ready']);
    expect(failures).to.be.empty;
  });

  it('reports failures after the first success to its caller, and does not log them', async () => {
    const { lines, failures } = await run(20, (probe) => probe <= 3 || probe % 2 === 1, 20);
    expect(lines).to.deep.equal(['info not ready', 'warn not ready', 'info ready']);
    expect(failures).to.deep.equal(Array(8).fill(down));
  });
});
