/**
 * Converts a request target (RFC 9112 §3.2) to origin form, so that later code can split it safely. Removes
 * the authority of an absolute form, and a fragment.
 * @param target as Node provides it: visible ASCII, because its parser refuses other characters
 */
export function originForm(target: string): string {
  const relative = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  return relative.startsWith('/') ? relative : `/${relative}`;
}

/** The path and the raw query (without the `?`) of a target in origin form. */
export function splitUrl(target: string): { path: string; query: string } {
  const end = target.indexOf('?');
  return end === -1 ? { path: target, query: '' } : { path: target.slice(0, end), query: target.slice(end + 1) };
}
