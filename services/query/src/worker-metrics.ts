import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A worker that responds needs a few milliseconds; a scrape has 10 s. */
const COLLECT_WITHIN_MS = 2_000;

interface MetricsMessage {
  metricsFor: number;
  metrics?: Metrics;
}
const isMetricsMessage = (message: unknown): message is MetricsMessage => typeof message === 'object' && message !== null && 'metricsFor' in message;

/**
 * Collects the metrics of the workers, in the first process. prom-client's own collection fails as a whole when one worker
 * does not answer, which is when the others' metrics are needed most. A worker that does not answer counts with its
 * latest values, so that no counter goes back and forth.
 */
export class WorkerMetrics {
  readonly #latest = new Map<Worker, Metrics>();
  #requests = 0;

  ended(worker: Worker): void {
    this.#latest.delete(worker);
  }

  /** @param asked the workers that can answer @returns the sum over all workers, as Prometheus text */
  async collect(asked: readonly Worker[]): Promise<string> {
    const request = ++this.#requests;
    await Promise.all(asked.map((worker) => this.#ask(worker, request)));
    return AggregatorRegistry.aggregate([...this.#latest.values()]).metrics();
  }

  async #ask(worker: Worker, request: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const take = (message: unknown) => {
      if (!isMetricsMessage(message) || message.metricsFor !== request) return;
      if (message.metrics && !worker.isDead()) this.#latest.set(worker, message.metrics);
      resolve();
    };
    const late = setTimeout(resolve, COLLECT_WITHIN_MS);
    worker.on('message', take).once('exit', resolve);
    // A worker that has just ended has no channel.
    worker.send({ metricsFor: request }, (error) => error && resolve());
    try {
      await promise;
    } finally {
      clearTimeout(late);
      worker.off('message', take).off('exit', resolve);
    }
  }
}

/** Answers the first process with what is in `registry`; in a worker. */
export function answerMetrics(registry: Registry): void {
  process.on('message', async (message) => {
    if (!isMetricsMessage(message)) return;
    const metrics = await registry.getMetricsAsJSON().catch(() => undefined);
    if (cluster.worker?.isConnected()) process.send?.({ ...message, ...(metrics && { metrics }) });
  });
}
