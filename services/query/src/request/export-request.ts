import { MAX_AFTER_CHARACTERS } from '../contract/changes-parameters.ts';
import type { BadParameter } from '../filters/filter.ts';
import { readQueryString } from './query-string.ts';

/**
 * Reads a request for an export. Rule: docs/reference/rules.md#export.
 * @returns the id after which the export continues, if any
 */
export function readExportRequest(query: string): { after?: string } | { bad: BadParameter[] } {
  const { values, bad } = readQueryString(query, ['after'] as const);
  // JSON Schema counts code points.
  if (values.after !== undefined && [...values.after].length > MAX_AFTER_CHARACTERS)
    bad.push({ parameter: 'after', detail: `must not be longer than ${MAX_AFTER_CHARACTERS} characters` });
  if (bad.length > 0) return { bad };
  return values.after === undefined ? {} : { after: values.after };
}
