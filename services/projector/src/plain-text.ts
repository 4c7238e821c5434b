import Table from 'cli-table3';

/** Below this a line of a table fits on any operator's terminal. */
export const LINE_WIDTH = 120;

/** Rows as plain text under their heads; `right` names the columns with numbers, `widths` those that wrap. */
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
  table.push(...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : printable(cell)))));
  return table.toString();
}

interface TableForm {
  right?: readonly string[];
  /** Characters by column, with a space at each side; null = as wide as its content. */
  widths?: readonly (number | null)[];
}

/** C0, DEL, C1, line separators, and what turns the direction of a line: bytes of a stranger must not steer a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it shows
const STEERING = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text of unknown origin on one line, with everything that could steer a terminal written as an escape. */
export const printable = (text: string): string =>
  text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A text cut to so many characters. */
export const shortened = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text);

/** Seconds as a person says them. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${(seconds / 86_400).toFixed(1)} d`;
}

/** Bytes as a person says them. */
export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
