/** The characters that RFC 3986 allows unencoded in a path, query or fragment (pchar, `/` and `?`). */
const ALLOWED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?";
/**
 * The characters that RFC 3986 allows in a registered name (without percent-encoding, which the parser
 * resolves).
 */
const HOST = "abcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=";

/** The served form of a URL, according to docs/reference/rules.md#urls. Undefined if it is not valid. */
export function url(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  const trimmed = raw.trim();
  if ([...trimmed].some(disappears)) return undefined;
  const scheme = ['http://', 'https://'].find((start) => trimmed.toLowerCase().startsWith(start));
  if (!scheme) return undefined;
  const authority = until(trimmed.slice(scheme.length), '/\\?#');
  if (authority === '' || authority.includes('@') || !URL.canParse(trimmed)) return undefined;
  // The parser decodes the host too.
  const decoded = decodeURIComponent(authority);
  if (/\ufe0e|\ufe0f/.test(decoded) || [...decoded].some(disappears)) return undefined;
  const { protocol, host, hostname, pathname, search, hash } = new URL(trimmed);
  if (!hostname.startsWith('[') && [...hostname].some((character) => !HOST.includes(character)))
    return undefined;
  const fragment = hash === '' && !trimmed.includes('#') ? '' : hash.slice(1);
  const query = search === '' ? emptyQuery(trimmed) : `?${encoded(search.slice(1))}`;
  return `${protocol}//${host}${encoded(pathname)}${query}${trimmed.includes('#') ? `#${encoded(fragment)}` : ''}`;
}

/** The `?` of an empty query, which the served form keeps. */
const emptyQuery = (raw: string): string => (until(raw, '#').includes('?') ? '?' : '');

const until = (from: string, ends: string): string => {
  const at = [...from].findIndex((character) => ends.includes(character));
  return at === -1 ? from : [...from].slice(0, at).join('');
};

/** White space, controls, and invisible characters, except those that shape their neighbors. */
function disappears(character: string): boolean {
  if (['\u200c', '\u200d', '\ufe0e', '\ufe0f'].includes(character)) return false;
  return /[\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(character);
}

function encoded(part: string): string {
  return [...part]
    .map((character, i, all) => {
      if (ALLOWED.includes(character)) return character;
      if (character === '%' && /^[0-9a-f]{2}$/i.test(all.slice(i + 1, i + 3).join(''))) return character;
      return [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join('');
    })
    .join('');
}
