/**
 * Converts a request target (RFC 9112 §3.2) to origin form, so that later code can split it safely. Removes
 * the authority of an absolute form, and a fragment.
 * @param url as Node provides it: visible ASCII, because its parser refuses other characters
 */
export function originForm(url: string): string {
  const relative = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  return relative.startsWith('/') ? relative : `/${relative}`;
}

/** The path and the raw query (without the `?`) of a url in origin form. */
export function splitUrl(url: string): { path: string; query: string } {
  const end = url.indexOf('?');
  return end === -1 ? { path: url, query: '' } : { path: url.slice(0, end), query: url.slice(end + 1) };
}
