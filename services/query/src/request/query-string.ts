import type { BadParameter } from '../filters/filter.ts';

/**
 * The requested parameters of a query string: the decoded values, and the parameters that cannot be decoded.
 */
export interface QueryValues<Name extends string> {
  values: Partial<Record<Name, string>>;
  bad: BadParameter[];
}

/**
 * Reads `names` from a raw query string (application/x-www-form-urlencoded, without the `?`), and ignores all
 * other names. An empty value counts as absent. A repeated name is an error, and so is a value that is not
 * percent-encoded UTF-8 (docs/reference/rules.md#parameter-values).
 */
export function readQueryString<Name extends string>(
  query: string,
  names: readonly Name[],
): QueryValues<Name> {
  const given = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    const end = pair.indexOf('=');
    const name = decode(end === -1 ? pair : pair.slice(0, end));
    if (name === undefined) continue;
    const value = end === -1 ? '' : pair.slice(end + 1);
    const earlier = given.get(name);
    if (earlier) earlier.push(value);
    else given.set(name, [value]);
  }
  const values: Partial<Record<Name, string>> = {};
  const bad: BadParameter[] = [];
  for (const name of names) {
    const raws = given.get(name);
    if (!raws) continue;
    const value = decode(raws[0] ?? '');
    if (raws.length > 1) bad.push({ parameter: name, detail: 'must not be repeated' });
    else if (value === undefined) bad.push({ parameter: name, detail: 'must be percent-encoded UTF-8' });
    else if (value !== '') values[name] = value;
  }
  return { values, bad };
}

/**
 * Decodes a value. @returns undefined for a `%` without two hexadecimal digits, and for bytes that are not
 * UTF-8
 */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/**
 * Converts a request target (RFC 9112 §3.2) to origin form, so that later code can split it safely. Removes
 * any fragment, and the scheme and authority of an absolute-form target.
 * @param url the target as Node passes it: visible ASCII only, because Node's parser rejects other characters
 */
export function originForm(url: string): string {
  const relative = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  return relative.startsWith('/') ? relative : `/${relative}`;
}

/** Splits a URL in origin form into its path and its raw query (without the `?`). */
export function splitUrl(url: string): { path: string; query: string } {
  const end = url.indexOf('?');
  return end === -1 ? { path: url, query: '' } : { path: url.slice(0, end), query: url.slice(end + 1) };
}
