import { importModule } from '@vitrine/runtime/modules';
import { FORMATS, type Mapping } from './mapping.ts';

/** The mapping module cannot be used. The message states every reason. */
export class MappingError extends Error {
  override readonly name = 'MappingError';
}

const TOPIC_NAME = /^[a-zA-Z0-9._-]{1,249}$/;
const EXAMPLE = 'export default defineMapping({ topics: [...], format: "json", map: (record) => [...] })';

/**
 * Loads the default export of a mapping module. The module may be anywhere, for example in a mounted folder,
 * and can still import `@vitrine/ingest/mapping` and the shipped mappings.
 * @param file the path, relative to the folder in which the operator called npm. It is empty if neither
 * `--mapping` nor `MAPPING` names a file.
 * @throws MappingError that names every wrong member
 */
export async function loadMapping(file: string): Promise<Mapping> {
  if (file === '') throw new MappingError('name a mapping module with --mapping FILE or with MAPPING');
  const { value } = await importModule(file, import.meta.url).catch((cause: Error) => {
    throw new MappingError(`the mapping module ${cause.message}`, { cause });
  });
  const faults = mappingFaults(value);
  if (faults.length > 0)
    throw new MappingError(
      `the mapping module ${file} is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  return value as Mapping;
}

/** Returns what is wrong with the default export of a mapping module. Pure. */
function mappingFaults(mapping: unknown): string[] {
  if (typeof mapping !== 'object' || mapping === null)
    return [`it needs a default export: ${EXAMPLE}. Its default export is ${String(mapping)}`];
  const { topics, format, map, ...others } = mapping as { [K in keyof Mapping]?: unknown };
  return [
    ...topicFaults(topics),
    ...(FORMATS.includes(format as never)
      ? []
      : [`format must be one of ${FORMATS.join(', ')}, not ${JSON.stringify(format)}`]),
    ...(typeof map === 'function' ? [] : [`map must be a function, not ${typeof map}`]),
    ...Object.keys(others).map((name) => `${name} is not a member of a mapping`),
  ];
}

function topicFaults(topics: unknown): string[] {
  if (!Array.isArray(topics) || topics.length === 0) return ['topics must be an array of topic names'];
  const faults = topics
    .filter((topic) => typeof topic !== 'string' || !TOPIC_NAME.test(topic))
    .map((topic) => `topics contains ${JSON.stringify(topic)}, which is not the name of a topic`);
  const repeated = topics.filter((topic, index) => topics.indexOf(topic) !== index);
  return [...faults, ...[...new Set(repeated)].map((topic) => `topics contains ${topic} more than once`)];
}
