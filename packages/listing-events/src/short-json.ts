const SHORT = 80;

/**
 * Formats a value of any size as short JSON for a message. The result contains no control characters below
 * U+0020 and no lone surrogates, because JSON escapes both. Pure.
 */
export function shortJson(value: unknown, length = SHORT): string {
  // A longer prefix of a string cannot change the result.
  const bounded = typeof value === 'string' ? value.slice(0, length) : value;
  const json = JSON.stringify(bounded) ?? String(bounded);
  return json.length > length || bounded !== value ? `${json.slice(0, length - 1).toWellFormed()}…` : json;
}
