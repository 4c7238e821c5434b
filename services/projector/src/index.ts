export { type ProjectorOptions, startProjector } from './service.ts';
