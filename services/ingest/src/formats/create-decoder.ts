import type { Format } from '../mapping.ts';
import type { IngestSettings } from '../settings.ts';
import { debeziumDecoder } from './debezium.ts';
import type { Decoder } from './format.ts';
import { jsonDecoder } from './json.ts';

/** Creates the decoder of a format. @throws Error if it needs a setting that is absent */
export function createDecoder(format: Format, _settings: IngestSettings): Decoder {
  switch (format) {
    case 'json':
      return jsonDecoder;
    case 'debezium':
      return debeziumDecoder;
    case 'confluent':
      throw new Error('the format confluent is not available yet');
    default:
      return format satisfies never;
  }
}
