import { decodeHTML } from 'entities';

/**
 * This expression takes linear time, because a tag contains no `<`, and every scan ends where the next one
 * begins.
 */
const TAG = /<[a-zA-Z/!?][^<>]*>/g;
/**
 * C0 except tab, LF and CR; DEL; C1; every zero-width or bidi control, and every other code point that
 * Unicode allows a font to ignore, except ZWJ, ZWNJ and the variation selector of an emoji or keycap. The
 * expression takes linear time, because each match reads only its neighbors. Rule:
 * docs/decisions/0034-invisible-characters.md
 */
const CONTROL_OR_INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}](?<!\u200c|\u200d|\p{Extended_Pictographic}[\ufe0e\ufe0f]|[#*0-9]\ufe0f(?=\u20e3))/gu;

/**
 * Matches combining marks after the thirtieth in a row. No language uses such long runs (Stream-Safe Text,
 * UAX #15 §13). Sorting a long run takes quadratic time, so one record could block the projector for minutes.
 */
const MARKS_IN_EXCESS = /(?<=\p{M}{30})\p{M}+/gu;

/** Matches most texts that normalization does not change. No two characters in this set compose. */
const PLAIN = /^[!-%'-;=?-~\u00c0-\u00ff]+(?: [!-%'-;=?-~\u00c0-\u00ff]+)*$/;

/**
 * Normalizes a listing's text for the feeds. The result has no markup, no control characters and only single
 * spaces, and is in NFC. The function removes tags once more at the end, because a control character, a
 * composition or a nested tag can hide a tag from the first two passes.
 * @returns undefined for empty text
 */
export function normalizeText(raw: string | null | undefined): string | undefined {
  if (!raw) return undefined;
  const trimmed = raw.trim();
  if (PLAIN.test(trimmed)) return trimmed;
  const visible = decodeHTML(raw.replace(TAG, ' '))
    .replace(TAG, ' ')
    .toWellFormed()
    .replace(CONTROL_OR_INVISIBLE, '')
    .replace(MARKS_IN_EXCESS, '')
    .normalize('NFC');
  return withoutTags(visible).replace(/\s+/g, ' ').trim() || undefined;
}

const BEGINS_TAG = /[a-zA-Z/!?]/;

/**
 * Removes all tags. Removing a tag can turn the surrounding text into a new tag, which the function also
 * removes. The function takes linear time, because it opens and closes each `<` once.
 */
function withoutTags(text: string): string {
  const pieces: string[] = [];
  /** One entry per `<` without a matching `>`: the index of the piece that the `<` begins, or `no tag`. */
  const open: (number | 'no tag')[] = [];
  let from = 0;
  for (const { index } of text.matchAll(/[<>]/g)) {
    if (text[index] === '<') {
      pieces.push(text.slice(from, index));
      open.push(BEGINS_TAG.test(text[index + 1] ?? '') ? pieces.length : 'no tag');
      from = index;
      continue;
    }
    const begins = open.pop();
    if (typeof begins === 'number') {
      pieces.splice(begins, Number.POSITIVE_INFINITY, ' ');
      from = index + 1;
    } else open.length = 0;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}

/**
 * Returns the slug of a text, for categories and for all filters. The text is normalized, and changed to
 * lower case without combining marks. A single hyphen replaces each run of characters other than a–z and 0–9.
 * @returns undefined for an empty slug
 */
export function slugify(raw: string | null | undefined): string | undefined {
  const bare = normalizeText(raw)?.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return bare?.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || undefined;
}

/**
 * These limits are necessary because a title can have 100,000 characters. Words beyond these limits are not
 * searchable.
 */
const MAX_WORDS = 64;
const MAX_WORD_CHARACTERS = 64;

/**
 * Returns the distinct words in a text, in lower case and without accents. These words are the parts of the
 * text's slug. The index and the search both use this function, so a search finds a word regardless of case
 * and accents.
 */
export const wordsOf = (text: string): string[] =>
  [...new Set((slugify(text) ?? '').split('-'))]
    .filter((word) => word !== '' && word.length <= MAX_WORD_CHARACTERS)
    .slice(0, MAX_WORDS);
