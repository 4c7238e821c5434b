/** The WHATWG serialization of an origin with an optional path prefix. */
const PUBLIC_URL = /^https?:\/\/[a-z0-9.:[\]-]+(\/[A-Za-z0-9._~-]+)*\/?$/;

/**
 * Reads the setting PUBLIC_URL: the origin at which clients reach the service, followed by the path prefix
 * that a proxy strips, if any. Absolute URLs are PUBLIC_URL + BASE_PATH + path.
 * @returns the serialized URL without a slash at its end; undefined if `text` is not an http or https origin
 * with an optional path prefix, or if it contains credentials, a query or a fragment
 */
export function readPublicUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^/@\s]+(\/[^@\s]*)?$/i.test(text)) return undefined;
  const href = URL.parse(text)?.href;
  return href !== undefined && PUBLIC_URL.test(href) ? href.replace(/\/$/, '') : undefined;
}
