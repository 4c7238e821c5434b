export {
  type EngineControl,
  type EngineName,
  type EngineSource,
  type Engines,
  EnginesError,
  NoEnginesError,
} from './engine-control.ts';
export { startEngines } from './engines.ts';
export type { EngineUser } from './security.ts';
export type { EnginesOptions } from './start-request.ts';
