/** Replaces possible credentials in a (malformed) URL with `…`, so that messages can contain the URL. */
export const withoutCredentials = (text: string): string => text.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@');

/**
 * Reports a setting whose required counterpart is missing. Cross-checks for `readSettings` use this function.
 */
export function missingPartner(settings: object, one: string, other: string): string[] {
  if (one in settings === other in settings) return [];
  const [given, missing] = one in settings ? [one, other] : [other, one];
  return [`${given} needs ${missing}`];
}
