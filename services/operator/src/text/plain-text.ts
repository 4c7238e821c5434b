import Table from 'cli-table3';

/** The maximum width of a line, so that a table fits on every operator's terminal. */
export const LINE_WIDTH = 120;

/**
 * Formats rows as a plain-text table. `right` lists the right-aligned columns, and `widths` the columns that
 * wrap.
 */
export function plainTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  { right = [], widths = [] }: TableForm = {},
): string {
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], compact: true },
    colAligns: head.map((name) => (right.includes(name) ? 'right' : 'left')),
    colWidths: head.map((_, column) => widths[column] ?? null),
    wordWrap: true,
    wrapOnWordBoundary: false,
  });
  table.push(
    ...rows.map((row) =>
      row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : printable(cell))),
    ),
  );
  return table.toString();
}

interface TableForm {
  right?: readonly string[];
  /**
   * The width of each column in characters, including a space on each side. A column with `null` is as wide
   * as its content.
   */
  widths?: readonly (number | null)[];
}

/** C0, DEL, C1, line separators and bidi controls. Text of unknown origin must not control the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const STEERING = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces each terminal control character with what `replacement` returns for it. */
export const withoutControls = (text: string, replacement: (character: string) => string): string =>
  text.replace(STEERING, (character) => replacement(character));

/** Puts text of unknown origin on one line and escapes every terminal control character. */
export const printable = (text: string): string =>
  withoutControls(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Escapes every terminal control character, but keeps lines and tabs. JSON keeps its meaning, because it
 * contains such characters only in strings.
 */
export const printableLines = (text: string): string =>
  text.replace(STEERING, (character) => (/[\n\t]/.test(character) ? character : printable(character)));

/** Truncates text to `length` characters. */
export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;

/** Puts a number before its words in the singular or the plural. Example: `item is extra|items are extra`. */
export function counted(count: number, forms: `${string}|${string}`): string {
  const [one = '', other = ''] = forms.split('|');
  return `${count.toLocaleString('en')} ${count === 1 ? one : other}`;
}

/** Formats a duration for people, with one unit. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${(seconds / 86_400).toFixed(1)} d`;
}

/** Formats a number of bytes for people. */
export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
