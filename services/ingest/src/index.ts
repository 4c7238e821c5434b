export { loadMapping, MappingError } from './load-mapping.ts';
export type { Mapping } from './mapping.ts';
export { type IngestOptions, startIngest } from './service.ts';
export { type IngestSettings, ingestSettings } from './settings.ts';
