import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { STOP, stopWorker } from './worker-health.ts';

describe('the stop of a worker', () => {
  let folder: string;
  const start = async (program: string) => {
    const exec = join(folder, 'worker.mjs');
    writeFileSync(exec, `process.send('started'); ${program}`);
    cluster.setupPrimary({ exec, args: [], execArgv: [] });
    const worker = cluster.fork();
    await once(worker, 'message');
    return worker;
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'stop-worker-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('sends the message and waits for the end', async () => {
    const worker = await start(`process.on('message', (text) => process.exit(text === '${STOP}' ? 7 : 8))`);
    await stopWorker(worker);
    expect(worker.process.exitCode).to.equal(7);
  });

  it('raises no error if the worker was just killed', async () => {
    const worker = await start('setInterval(() => undefined, 1_000)');
    const errors: unknown[] = [];
    worker.on('error', (error) => errors.push(error));
    worker.process.kill('SIGKILL');
    // The worker's end of the channel closes while this process cannot notice it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    await stopWorker(worker);
    expect(errors).to.deep.equal([]);
    expect(worker.process.signalCode).to.equal('SIGKILL');
  });
});
