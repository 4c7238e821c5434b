export { REQUEST_TIMEOUT_MS } from './limits.ts';
export { createMetrics, type ProjectorMetrics } from './metrics.ts';
export { Projection } from './projection.ts';
