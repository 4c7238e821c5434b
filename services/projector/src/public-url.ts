/**
 * A URL that may be served, in its WHATWG serialization: http or https with a host, no credentials,
 * no white space; anything else is undefined (decisions §2).
 */
export function normalizeUrl(raw: string | undefined): string | undefined {
  const trimmed = raw?.trim();
  // The parser would forgive `http:///host`, and would drop tabs and line feeds: neither is a URL we serve.
  if (!trimmed || !/^https?:\/\/[^/\\?#]/i.test(trimmed) || /\s/.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  return url.username || url.password ? undefined : url.href;
}
