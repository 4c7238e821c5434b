export { type Readiness, startAdminServer } from './admin-server.ts';
export {
  breakOff,
  type CloseLimits,
  closeGracefully,
  type OpenResponses,
  TrackedResponses,
} from './graceful-close.ts';
export { type RunningService, runService } from './lifecycle.ts';
export { serviceMetrics } from './service-metrics.ts';
