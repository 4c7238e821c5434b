import { compareSchemas } from './compare-schemas.ts';
import type { Finding } from './finding.ts';
import type { JsonObject } from './flat-schema.ts';

/**
 * The changes of the tools' input schemas, by the tools' names, that reject or ignore the arguments of calls
 * that agents make today. Pure.
 */
export function compareTools(old: JsonObject, now: JsonObject): Finding[] {
  return Object.keys(old).flatMap((name) =>
    name in now
      ? compareSchemas({ old, new: now }, old[name], now[name], 'input', `tool ${name}:`)
      : [{ at: `tool ${name}`, change: 'the tool was removed' }],
  );
}
