export { loadMapping, MappingError } from './load-mapping.ts';
