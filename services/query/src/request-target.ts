/**
 * A request target (RFC 9112 §3.2) in origin form, so that everything behind it can take it apart
 * safely: an absolute form loses its authority, and a fragment goes.
 * @param target as Node gives it: visible ASCII, its parser refuses anything else
 */
export function originForm(target: string): string {
  const relative = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  return relative.startsWith('/') ? relative : `/${relative}`;
}

/** The path and the raw query (without the `?`) of a target in origin form. */
export function splitTarget(target: string): { path: string; query: string } {
  const end = target.indexOf('?');
  return end === -1 ? { path: target, query: '' } : { path: target.slice(0, end), query: target.slice(end + 1) };
}
