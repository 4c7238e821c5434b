/** The words that an apostrophe joins in the names of Brazilian places: "d'Água", "Sant'Ana". */
const SPLIT = /^(d)([aeiou][a-z]{2,})$|^(sant)(ana)$/;
/** A name with more such words is compared as it is written, so that the number of spellings stays small. */
const MAX_WORDS = 4;

/**
 * Returns every slug for the same place. The slug rule makes `mae-d-agua` from "Mãe d'Água", but IBGE leaves
 * out the apostrophe: `mae-dagua`. The index contains the slug of the listing's own spelling, so the filter
 * looks for each of these slugs (docs/decisions/0088-tables-of-filters-and-ad-types.md).
 * @returns the given slug first
 */
export function spellingsOf(slug: string): string[] {
  const words = joined(slug.split('-'));
  const split = words.map((word, i) => (i === 0 && word.startsWith('d') ? undefined : splitWord(word)));
  if (split.filter(Boolean).length > MAX_WORDS) return [slug];
  const spellings = words.reduce<string[][]>(
    (beginnings, word, i) =>
      [word, split[i]].flatMap((form) =>
        form === undefined ? [] : beginnings.map((beginning) => [...beginning, form]),
      ),
    [[]],
  );
  return [...new Set([slug, ...spellings.map((parts) => parts.join('-'))])];
}

/** Returns the same string for every spelling of a place. */
export const placeOf = (slug: string): string => spellingsOf(slug).sort()[0] ?? slug;

function splitWord(word: string): string | undefined {
  const [, d, rest, sant, ana] = SPLIT.exec(word) ?? [];
  return d !== undefined ? `${d}-${rest}` : sant !== undefined ? `${sant}-${ana}` : undefined;
}

/** Joins the words that an apostrophe has split. */
function joined(words: readonly string[]): string[] {
  const result: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const pair = `${words[i]}${words[i + 1] ?? ''}`;
    const isSplit = i + 1 < words.length && splitWord(pair) === `${words[i]}-${words[i + 1]}`;
    const isFirst = i === 0 && words[i] === 'd';
    result.push(isSplit && !isFirst ? pair : (words[i] ?? ''));
    if (isSplit && !isFirst) i++;
  }
  return result;
}
