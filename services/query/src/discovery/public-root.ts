/**
 * Returns an origin with an optional path, in which every character of the Host header is harmless in
 * Markdown, XML and JSON. The Host header may contain quotes, parentheses and `&` (RFC 3986 §3.2.2). This
 * function percent-encodes them.
 * @param origin PUBLIC_URL, or the scheme and Host of the request
 */
export const publicRoot = (origin: string): string =>
  origin.replace(
    /[^A-Za-z0-9._~:/[\]%-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/**
 * Returns a root's host name, without the port and in lower case. Returns `localhost` for an IPv6 address
 * and for a name with characters other than letters, digits, hyphens and dots.
 */
export function hostNameOf(root: string): string {
  const host = /^https?:\/\/([A-Za-z0-9.-]+)(?=[:/]|$)/.exec(root)?.[1]?.toLowerCase();
  return host ?? 'localhost';
}

/** Returns a host name as a reverse-DNS name: `br.com.example` for `example.com.br`. */
export const reverseHostName = (host: string): string =>
  /^[0-9.]+$/.test(host) ? host : host.split('.').filter(Boolean).reverse().join('.');
