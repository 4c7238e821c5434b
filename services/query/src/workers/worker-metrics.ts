import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/**
 * How long a worker may take to respond, in milliseconds. A healthy worker responds within milliseconds, and
 * a scrape may take up to 10 s.
 */
const COLLECT_WITHIN_MS = 2_000;

interface MetricsMessage {
  metricsFor: number;
  metrics?: Metrics;
}
const isMetricsMessage = (message: unknown): message is MetricsMessage =>
  typeof message === 'object' && message !== null && 'metricsFor' in message;

/**
 * Collects the workers' metrics in the first process. prom-client's own collection fails if one worker does
 * not respond, exactly when operators need the other workers' metrics. This class uses the latest values from
 * an unresponsive worker, so counters never decrease temporarily.
 */
export class WorkerMetrics {
  readonly #latest = new Map<Worker, Metrics>();
  #requests = 0;

  ended(worker: Worker): void {
    this.#latest.delete(worker);
  }

  /**
   * Collects the metrics. @param workers the workers that can respond @returns the sum over all workers, as
   * Prometheus text
   */
  async collect(workers: readonly Worker[]): Promise<string> {
    const request = ++this.#requests;
    await Promise.all(workers.map((worker) => this.#request(worker, request)));
    return AggregatorRegistry.aggregate([...this.#latest.values()]).metrics();
  }

  async #request(worker: Worker, request: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const take = (message: unknown) => {
      if (!isMetricsMessage(message) || message.metricsFor !== request) return;
      if (message.metrics && !worker.isDead()) this.#latest.set(worker, message.metrics);
      resolve();
    };
    const late = setTimeout(resolve, COLLECT_WITHIN_MS);
    worker.on('message', take).once('exit', resolve);
    // The channel of a worker that has just ended is closed, so the message cannot be sent.
    worker.send({ metricsFor: request }, (error) => error && resolve());
    try {
      await promise;
    } finally {
      clearTimeout(late);
      worker.off('message', take).off('exit', resolve);
    }
  }
}

/** Runs in a worker: sends the metrics of `registry` to the first process on request. */
export function sendMetricsOnRequest(registry: Registry): void {
  process.on('message', async (message) => {
    if (!isMetricsMessage(message)) return;
    const metrics = await registry.getMetricsAsJSON().catch(() => undefined);
    if (cluster.worker?.isConnected()) process.send?.({ ...message, ...(metrics && { metrics }) });
  });
}
