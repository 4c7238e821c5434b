export { type QueryService, startQueryService } from './service.ts';
