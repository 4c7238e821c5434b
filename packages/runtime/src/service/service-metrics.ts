import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Creates a service's registry, with the metrics of its process, and the functions that add other metrics to
 * the registry.
 * @param service the label of `service_ready`
 */
export function serviceMetrics(service: string) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    counter: <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <L extends string = never>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: L[]
    ) => new Histogram({ name, help, labelNames, buckets, registers }),
    watchReady(isReady: () => boolean): void {
      new Gauge({
        name: 'service_ready',
        help: 'Result of /health/ready: 1 = ready, 0 = not ready',
        labelNames: ['service'],
        registers,
        collect() {
          this.set({ service }, Number(isReady()));
        },
      });
    },
  };
}
