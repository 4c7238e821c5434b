declare const shown: unique symbol;

/**
 * Text that may appear in an answer. Only the functions in this file create it, so code that shows a
 * listing's text without quotation marks does not compile. Shown text has one line, except where `joined`
 * puts lines together.
 */
export type Shown = string & { readonly [shown]: true };

/** Text that the code itself contains, as its type shows. A listing's text has the type `string`. */
type Fixed<Value> = Value extends Shown | number
  ? Value
  : Value extends string
    ? string extends Value
      ? never
      : Value
    : never;

/** Tables cut longer texts from listings. `get_listing` returns the whole text. */
const MAX_CELL_CHARACTERS = 160;
const IDENTIFIER = /^[A-Za-z0-9._-]+$/;
const SLUG = /^[a-z0-9-]+$/;
const ADDRESS = /^https?:\/\/[^\s"'<>\\^`{|}]+$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Cuts a string to a maximum number of characters without splitting a surrogate pair. */
export function clipped(text: string, max = MAX_CELL_CHARACTERS): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/u, '')}…`;
}

/**
 * Writes a sentence or a row. Its values may be numbers, fixed texts, or results of the functions in this
 * file. A value of type `string` does not compile.
 */
export function say<const Values extends readonly (string | number)[]>(
  parts: TemplateStringsArray,
  ...values: Values & { [Index in keyof Values]: Fixed<Values[Index]> }
): Shown {
  return String.raw({ raw: parts }, ...values) as Shown;
}

/** Joins the parts of an answer's text. */
export const joined = (texts: readonly Shown[], separator: '\n' | ', ' | '; ' | ' | ' | ' '): Shown =>
  texts.join(separator) as Shown;

/**
 * Returns a listing's text in quotation marks and on one line, so that it cannot imitate the text around it.
 * @param max the maximum number of characters. Longer texts are cut
 */
export const quoted = (text: string, max = MAX_CELL_CHARACTERS): Shown =>
  JSON.stringify(clipped(text, max)).replace(/[\u0085\u2028\u2029]/g, escaped) as Shown;

/** JSON leaves these line separators as they are. */
const escaped = (separator: string): string => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`;

const plainIf = (isPlain: RegExp, text: string): Shown =>
  text.length <= MAX_CELL_CHARACTERS && isPlain.test(text) ? (text as Shown) : quoted(text);

/** Returns an id, in quotation marks unless it consists of ASCII letters, digits, `.`, `_` and `-`. */
export const identifier = (id: string): Shown => plainIf(IDENTIFIER, id);

/** Returns a filter's value, in quotation marks unless it is a slug. */
export const filterValue = (value: string): Shown => plainIf(SLUG, value);

/** Returns a date, in quotation marks unless it has the form YYYY-MM-DD. */
export const day = (date: string): Shown => plainIf(DATE, date);

/** Returns a listing's URL, uncut, and in quotation marks unless it is an http URL in its normal form. */
export const address = (url: string): Shown => (ADDRESS.test(url) ? (url as Shown) : quoted(url, url.length));

/** Returns a time in UTC, to the second (RFC 3339). @param at epoch milliseconds */
export const instant = (at: number): Shown => `${new Date(at).toISOString().slice(0, 19)}Z` as Shown;

/** Returns the next page's cursor, which the service created. */
export const cursorText = (cursor: string): Shown =>
  IDENTIFIER.test(cursor) ? (cursor as Shown) : quoted(cursor);

/** Returns a price without trailing zeros. */
export const money = (price: number): Shown => say`${price}`;

/** Returns rows of cells, one line each. */
export const table = (rows: readonly (readonly Shown[])[]): Shown[] => rows.map((row) => joined(row, ' | '));
