import type { Format } from '../mapping.ts';
import type { IngestSettings } from '../settings.ts';
import { createConfluentDecoder } from './confluent.ts';
import { debeziumDecoder } from './debezium.ts';
import type { Decoder } from './format.ts';
import { jsonDecoder } from './json.ts';
import { registryConnection } from './registry-settings.ts';

/** A decoder that may hold connections. */
export interface OpenDecoder extends Decoder {
  close?(): Promise<void>;
}

/**
 * Creates the decoder for a format.
 * @param awaitMs how long the decoder waits for a schema that the registry does not know yet, in milliseconds
 * @throws Error if the format needs a setting that is absent
 */
export function createDecoder(format: Format, settings: IngestSettings, awaitMs?: number): OpenDecoder {
  if (format === 'json') return jsonDecoder;
  if (format === 'debezium') return debeziumDecoder;
  const connection = registryConnection(settings);
  if (!connection) throw new Error('the format "confluent" needs the setting SCHEMA_REGISTRY_URL');
  return createConfluentDecoder(connection, awaitMs);
}
