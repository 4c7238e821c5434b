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
