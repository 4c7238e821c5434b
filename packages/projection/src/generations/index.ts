export { countListings } from './count-listings.ts';
export { ensureFirstGeneration } from './first-generation.ts';
export { prepareStart } from './first-start.ts';
export {
  type GenerationConsumer,
  type GenerationConsumerOptions,
  groupOf,
  type ProjectorContext,
  startGenerationConsumer,
} from './generation-consumer.ts';
export {
  checkIndices,
  createIndices,
  refreshAsLive,
  refreshForReaders,
  UnusableIndexError,
  versionsWith,
} from './generation-indices.ts';
export { readRegistry, updateRegistry } from './registry.ts';
export { moveAliases, type Role, type Roles, readRoles, roleOf } from './roles.ts';
