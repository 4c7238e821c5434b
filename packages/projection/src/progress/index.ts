export { ConsumerHealth } from './consumer-health.ts';
export { LagGauges } from './lag-gauges.ts';
export { Pauses } from './pauses.ts';
export { retryWhileUnavailable, type Unavailability, whileKafkaIsAway } from './retry-while-unavailable.ts';
export { OBSERVE_EVERY_MS, STALL_LIMITS, type StallLimits } from './stall-watch.ts';
export { yieldingBatches } from './yielding-batches.ts';
