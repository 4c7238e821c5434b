export { OBSERVE_EVERY_MS, REQUEST_TIMEOUT_MS, STALL_LIMITS } from './limits.ts';
export { createMetrics, type ProjectorMetrics } from './metrics.ts';
export type { StallLimits } from './progress/stall-watch.ts';
export { Projection } from './projection.ts';
