import { decodeHTML } from 'entities';

/** Normalizes text literally, with one step per rule. Speed does not matter. */
export function text(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  const decoded = withoutTags(decodeHTML(withoutTags(raw))).toWellFormed();
  const composed = withoutLongRunsOfMarks(visible(decoded)).normalize('NFC');
  const plain = untilStable(composed, withoutTags).split(/\s+/u).join(' ').trim();
  return plain === '' ? undefined : plain;
}

/**
 * A slug: text in NFD without combining marks, in lower case, with hyphens for everything but a-z and 0-9.
 */
export function slug(raw: unknown): string | undefined {
  const letters = [...(text(raw) ?? '').normalize('NFD')]
    .filter((character) => !/\p{M}/u.test(character))
    .join('');
  const words = letters
    .toLowerCase()
    .split(/[^a-z0-9]/u)
    .filter((word) => word !== '');
  return words.length === 0 ? undefined : words.join('-');
}

/**
 * Replaces each tag with a space: `<` and a letter, `/`, `!` or `?`, up to the next `>` without a `<` between
 * them.
 */
function withoutTags(from: string): string {
  let result = '';
  for (let i = 0; i < from.length; i++) {
    const end = from[i] === '<' && /[a-zA-Z/!?]/.test(from[i + 1] ?? '') ? endOfTag(from, i) : undefined;
    if (end === undefined) result += from[i];
    else {
      result += ' ';
      i = end;
    }
  }
  return result;
}

function endOfTag(from: string, start: number): number | undefined {
  for (let i = start + 1; i < from.length && from[i] !== '<'; i++) if (from[i] === '>') return i;
  return undefined;
}

function untilStable(from: string, step: (text: string) => string): string {
  const next = step(from);
  return next === from ? from : untilStable(next, step);
}

/** Removes invisible characters (docs/decisions/0034-invisible-characters.md). */
function visible(from: string): string {
  const characters = [...from];
  return characters
    .filter((character, i) => {
      const code = character.codePointAt(0) as number;
      if (code === 0x09 || code === 0x0a || code === 0x0d) return true;
      if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false;
      if (code === 0x200c || code === 0x200d) return true;
      const before = characters[i - 1] ?? '';
      if ((code === 0xfe0e || code === 0xfe0f) && /\p{Extended_Pictographic}/u.test(before)) return true;
      if (code === 0xfe0f && '#*0123456789'.includes(before || '-') && characters[i + 1] === '\u20e3')
        return true;
      return !/\p{Default_Ignorable_Code_Point}/u.test(character);
    })
    .join('');
}

/** Text keeps at most 30 consecutive combining marks (docs/reference/rules.md#text). */
function withoutLongRunsOfMarks(from: string): string {
  let run = 0;
  return [...from]
    .filter((character) => {
      run = /\p{M}/u.test(character) ? run + 1 : 0;
      return run <= 30;
    })
    .join('');
}
