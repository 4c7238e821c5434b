import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { Counter, Registry } from 'prom-client';
import { WorkerMetrics } from './worker-metrics.ts';

describe('worker metrics', () => {
  /** A worker that has counted `requests` and responds according to `mode`. */
  function worker(requests: number) {
    const registry = new Registry();
    new Counter({ name: 'requests_total', help: 'Requests', registers: [registry] }).inc(requests);
    const self = Object.assign(new EventEmitter(), {
      mode: 'answers' as 'answers' | 'silent' | 'gone',
      isDead: () => self.mode === 'gone',
      async send(message: object, sent: (error: Error | null) => void) {
        if (self.mode === 'gone') return sent(new Error('the channel is closed'));
        sent(null);
        if (self.mode === 'silent') return;
        self.emit('message', { readiness: { ready: true, reasons: [] } });
        self.emit('message', { ...message, metrics: await registry.getMetricsAsJSON() });
      },
    });
    return self;
  }
  const collect = async (metrics: WorkerMetrics, ...workers: ReturnType<typeof worker>[]) =>
    Number(/^requests_total (\d+)$/m.exec(await metrics.collect(workers as unknown as Worker[]))?.[1]);

  it('sum over all workers', async () => {
    const [a, b] = [worker(3), worker(4)];
    const metrics = new WorkerMetrics();
    expect(await collect(metrics, a, b)).to.equal(7);
    expect([a.listenerCount('message'), b.listenerCount('exit')]).to.deep.equal([0, 0]);
  });

  it('return within a time limit, with the latest values of an unresponsive worker', async () => {
    const [a, b] = [worker(3), worker(4)];
    const metrics = new WorkerMetrics();
    await collect(metrics, a, b);
    b.mode = 'silent';
    expect(await collect(metrics, a, b)).to.equal(7);
    expect(await collect(metrics, a)).to.equal(7);
  });

  it('do not wait for an ended worker, and remove it', async () => {
    const [a, b] = [worker(3), worker(4)];
    const metrics = new WorkerMetrics();
    await collect(metrics, a, b);
    b.mode = 'gone';
    metrics.ended(b as unknown as Worker);
    // Only a timer ends a wait for an unresponsive worker, and no timer fires before this turn ends.
    const turn = new Promise(setImmediate);
    expect(await Promise.race([collect(metrics, a, b), turn])).to.equal(3);
  });
});
