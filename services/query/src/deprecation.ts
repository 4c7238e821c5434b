import { LEGACY_ALIASES } from './feed-parameters.ts';
import { readQueryString } from './query-string.ts';

/** When today's names took the place of the first ones: with version 1.0.0 of the interface. */
const DEPRECATED_SINCE = Date.parse('2026-11-01T00:00:00Z') / 1_000;
/** The part of the API reference that the `deprecation` link leads to. */
export const LEGACY_NAMES_ANCHOR = 'legacy-names';

const LEGACY_NAMES = Object.values(LEGACY_ALIASES);

/** The value of the Deprecation header on answers to legacy names: a structured date. RFC 9745 §2. */
export const DEPRECATION = `@${DEPRECATED_SINCE}`;

/** The link that goes with it, as a Link header has it. RFC 9745 §3, RFC 8288 §3. */
export const deprecationLink = (basePath: string): string => `<${basePath}/docs#${LEGACY_NAMES_ANCHOR}>; rel="deprecation"; type="text/html"`;

/** Whether a raw query names a parameter by its legacy name, with a value or more than once; an empty value counts as absent. */
export function usesLegacyNames(query: string): boolean {
  const { values, bad } = readQueryString(query, LEGACY_NAMES);
  return Object.keys(values).length > 0 || bad.length > 0;
}
