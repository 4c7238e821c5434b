import { LEGACY_NAMES } from '../contract/feed-parameters.ts';
import { readQueryString } from './query-string.ts';

/** Version 1.0.0 of the interface replaced the legacy names. */
const DEPRECATED_SINCE = Date.parse('2026-11-01T00:00:00Z') / 1_000;

/** The Deprecation header of a response to a request with legacy names: a structured date. RFC 9745 §2. */
export const DEPRECATION = `@${DEPRECATED_SINCE}`;

/**
 * Creates the Link header that leads to the section about legacy names in the guide for crawlers. RFC 9745
 * §3, RFC 8288 §3.
 * @param base PUBLIC_URL + BASE_PATH, or only BASE_PATH if PUBLIC_URL is not set
 */
export const deprecationLink = (base: string): string =>
  `<${base}/docs/crawlers#legacy-names>; rel="deprecation"; type="text/html"`;

/**
 * Returns whether a raw query contains a legacy name that has a value or is repeated. An empty value counts
 * as absent.
 */
export function usesLegacyNames(query: string): boolean {
  // A name can be percent-encoded.
  if (!query.includes('%') && !LEGACY_NAMES.some((name) => query.includes(name))) return false;
  const { values, bad } = readQueryString(query, LEGACY_NAMES);
  return Object.keys(values).length > 0 || bad.length > 0;
}
