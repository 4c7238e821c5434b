/**
 * Invisible characters, which the URL parser drops at the ends and in hosts: white space, controls,
 * zero-width and bidi characters. ZWNJ, ZWJ and the text and emoji selectors affect neighboring characters
 * and are allowed.
 */
const INVISIBLE = /[\s\p{Cc}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/u;
const AUTHORITY = /^https?:\/\/([^/\\?#]+)/i;
/**
 * An `@` ends the credentials, even if they are empty. The parser drops the text and emoji selectors from a
 * host.
 */
const REFUSED_IN_AUTHORITY = /@|\ufe0e|\ufe0f/;
/** The `host` of RFC 3986 §3.2.2. The URL parser has already validated and normalized IP addresses. */
const HOST = /^(?:\[[0-9a-f:]+\]|[a-z0-9._~!$&'()*+,;=-]+)$/;
/**
 * Characters that RFC 3986 (§3.3 to §3.5) forbids in a path, query or fragment. `#` is among them because the
 * caller has already split the URL at its first `#`.
 */
const FORBIDDEN = /[^\w.~!$&'()*+,;=:@/?%-]|%(?![0-9a-f]{2})/gi;

/**
 * Returns the public form of a listing's URL or image (docs/reference/rules.md#urls): the WHATWG
 * serialization, in which every character that RFC 3986 forbids is percent-encoded. The result satisfies
 * `format: uri`. Normalizing it again does not change it.
 * @returns undefined unless the trimmed `raw` is an http or https URL with a host that RFC 3986 allows,
 * without credentials and without invisible characters
 */
export function normalizeUrl(raw: string | undefined): string | undefined {
  const trimmed = raw?.trim();
  if (!trimmed || INVISIBLE.test(trimmed)) return undefined;
  // The URL parser would accept `http:///host`.
  const authority = decode(AUTHORITY.exec(trimmed)?.[1]);
  if (authority === undefined || INVISIBLE.test(authority) || REFUSED_IN_AUTHORITY.test(authority))
    return undefined;
  const url = URL.parse(trimmed);
  if (!url || !HOST.test(url.hostname)) return undefined;
  const { href, origin } = url;
  const hash = href.indexOf('#');
  const beforeHash = encodeForbidden(href.slice(origin.length, hash === -1 ? undefined : hash));
  return origin + beforeHash + (hash === -1 ? '' : `#${encodeForbidden(href.slice(hash + 1))}`);
}

/**
 * Decodes the percent-encoding in a host and refuses the host if the decoded bytes are not UTF-8, as the URL
 * parser does.
 */
function decode(authority: string | undefined): string | undefined {
  if (!authority?.includes('%')) return authority;
  try {
    return decodeURIComponent(authority);
  } catch {
    return undefined;
  }
}

/** The input is ASCII, because the parser has encoded everything else. */
const encodeForbidden = (part: string): string =>
  part.replace(
    FORBIDDEN,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
