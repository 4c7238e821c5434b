/**
 * The content encodings of the service. If a client gives equal weights, the service prefers an earlier
 * encoding.
 */
const ENCODINGS = ['br', 'zstd', 'gzip'] as const;
export type ContentEncoding = (typeof ENCODINGS)[number];

const MEMBER = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/i;

/**
 * Selects the encoding for an Accept-Encoding header (RFC 9110 §12.5.3). Returns undefined for identity. An
 * absent or empty header selects identity. A header that accepts nothing also selects identity, because an
 * unencoded response is more useful than a refusal.
 * @param isWorthwhile whether the content is large enough to benefit from an encoding. If false, the body is
 * encoded only for a client that refuses identity.
 */
export function chooseEncoding(
  header: string | undefined,
  isWorthwhile: boolean,
): ContentEncoding | undefined {
  const weights = readWeights(header ?? '');
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const acceptable = ENCODINGS.filter((encoding) => weightOf(encoding) > 0);
  const best = acceptable.toSorted((a, b) => weightOf(b) - weightOf(a))[0];
  if (best === undefined) return undefined;
  // Identity is acceptable unless the client refuses it. Only an explicit weight can make identity preferable
  // to an encoding.
  const identity = weights.get('identity') ?? weights.get('*');
  if (identity === 0) return best;
  if (!isWorthwhile) return undefined;
  return (weights.get('identity') ?? 0) > weightOf(best) ? undefined : best;
}

/**
 * Reads the weights by encoding in lower case. Ignores malformed members. If an encoding is repeated, its
 * first weight counts.
 */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const member of header.split(',')) {
    const [, name, weight = '1'] = MEMBER.exec(member.trim()) ?? [];
    if (name === undefined) continue;
    // RFC 9110 §8.4.1.3.
    const encoding = name.toLowerCase() === 'x-gzip' ? 'gzip' : name.toLowerCase();
    if (!weights.has(encoding)) weights.set(encoding, Number(weight));
  }
  return weights;
}
