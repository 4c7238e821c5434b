import { decodeHTML } from 'entities';

/** Linear: no `<` may stand between, so every scan ends where the next one begins. */
const TAG = /<[a-zA-Z/!?][^<>]*>/g;
/**
 * C0 except tab, LF and CR; DEL; C1; every zero-width or bidi control, and every other code point that Unicode lets a
 * font ignore, except ZWJ, ZWNJ and the variation selector of an emoji or keycap. Linear: each match looks at its
 * neighbors only. Rule: docs/decisions/0034-invisible-characters.md
 */
const CONTROL_OR_INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}](?<!\u200c|\u200d|\p{Extended_Pictographic}[\ufe0e\ufe0f]|[#*0-9]\ufe0f(?=\u20e3))/gu;

/**
 * Marks beyond the thirtieth in a row, which no language has (Stream-Safe Text, UAX #15 §13): sorting
 * a long run takes quadratic time, so that one record could hold the projector for minutes.
 */
const MARKS_IN_EXCESS = /(?<=\p{M}{30})\p{M}+/gu;

/** What all the steps leave as it is: most texts. Letters of Latin-1 compose with nothing that is in here. */
const PLAIN = /^[!-%'-;=?-~\u00c0-\u00ff]+(?: [!-%'-;=?-~\u00c0-\u00ff]+)*$/;

/**
 * Any text of a listing as the feeds serve it: no markup, no control characters, NFC, single
 * spaces; empty = absent. Tags are taken out once more at the end, since a control character, a
 * composition or a tag within can hide one from the first two passes.
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

/** As TAG has it, until none is left: a tag may be one only when those within are gone. Linear: each `<` is opened and closed once. */
function withoutTags(text: string): string {
  const pieces: string[] = [];
  /** Of each `<` that no `>` has met: the piece that it would begin, or that it begins no tag. */
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
 * The form in which categories are served and every filter compares: normalized text without
 * combining marks, lower-case, everything but a–z 0–9 a single hyphen; empty = absent.
 */
export function slugify(raw: string | null | undefined): string | undefined {
  const bare = normalizeText(raw)?.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return bare?.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || undefined;
}
