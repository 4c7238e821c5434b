/** Longer texts of listings are cut in tables. `get_listing` returns the whole text. */
const MAX_CELL_CHARACTERS = 160;
const PLAIN = /^[\p{L}\p{N}._:/@+-]+$/u;

/** Cuts a text after a number of characters. Never splits a surrogate pair. */
export function clipped(text: string, max = MAX_CELL_CHARACTERS): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/u, '')}…`;
}

/**
 * Returns a text from a listing as one cell of a table. It is in quotes unless it is a single word, so that it
 * cannot imitate the table or the text around it.
 */
export function cell(text: string): string {
  const short = clipped(text);
  return PLAIN.test(short) ? short : JSON.stringify(short);
}

/** Returns a price without trailing zeros. */
export const money = (price: number): string => String(price);

/** Returns rows of cells, one line each. */
export const table = (rows: readonly (readonly string[])[]): string[] => rows.map((row) => row.join(' | '));
