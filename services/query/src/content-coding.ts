/** The codings of an answer, the most wanted first: what the server prefers where the client does not care. */
const CODINGS = ['br', 'zstd', 'gzip'] as const;
export type ContentCoding = (typeof CODINGS)[number];

const MEMBER = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/i;

/**
 * The coding that an Accept-Encoding header asks for (RFC 9110 §12.5.3), or undefined for identity.
 * No header, an empty one, and one that leaves nothing acceptable get identity: an answer in it is
 * of more use than a refusal.
 * @param isWorthwhile whether the content gains by a coding; if not, it gets one only where identity is refused
 */
export function chooseCoding(header: string | undefined, isWorthwhile: boolean): ContentCoding | undefined {
  const weights = readWeights(header ?? '');
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const acceptable = CODINGS.filter((coding) => weightOf(coding) > 0);
  const best = acceptable.toSorted((a, b) => weightOf(b) - weightOf(a))[0];
  if (best === undefined) return undefined;
  // Identity is always acceptable unless it is refused, but only a weight of its own makes it wanted.
  const identity = weights.get('identity') ?? weights.get('*');
  if (identity === 0) return best;
  if (!isWorthwhile) return undefined;
  return (weights.get('identity') ?? 0) > weightOf(best) ? undefined : best;
}

/** Weights by coding in lower case; a member that is not well-formed does not count, the first of two of a kind does. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const member of header.split(',')) {
    const [, name, weight = '1'] = MEMBER.exec(member.trim()) ?? [];
    if (name === undefined) continue;
    // RFC 9110 §8.4.1.3.
    const coding = name.toLowerCase() === 'x-gzip' ? 'gzip' : name.toLowerCase();
    if (!weights.has(coding)) weights.set(coding, Number(weight));
  }
  return weights;
}
