export { type Readiness, startAdminServer } from './admin-server.ts';
export { type RunningService, runService } from './lifecycle.ts';
