import { SourceError } from './source-error.ts';

const NUMBERS = new Set([
  'version',
  'version_epoch',
  'price',
  'rating',
  'review_count',
  'location.lat',
  'location.lng',
]);
const DOCUMENTS = new Set(['location', 'provider', 'images', 'availability']);
const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/**
 * PostgreSQL's text form of a `timestamptz`, which differs from RFC 3339 in the space and in short offsets.
 */
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?)([+-]\d{2})(?::?(\d{2}))?$/;

/**
 * The value of a CSV cell, according to the name of its column. An empty cell without quotes is PostgreSQL's
 * NULL. A string that is not a number stays a string, which the rules then refuse as they would in an event.
 * Pure.
 * @throws SourceError if the column holds JSON and the cell does not
 */
export function cellValue(line: number, column: string, text: string, quoted: boolean): unknown {
  if (text === '' && !quoted) return null;
  if (NUMBERS.has(column)) return NUMBER.test(text) ? Number(text) : text;
  if (DOCUMENTS.has(column))
    try {
      return JSON.parse(text);
    } catch {
      throw new SourceError(
        line,
        `has invalid JSON in the column ${column}. Convert the column in the query, for example with to_json(${column})`,
      );
    }
  if (column === 'published_at')
    return text.replace(
      TIMESTAMP,
      (_, date, time, hours, minutes = '00') => `${date}T${time}${hours}:${minutes}`,
    );
  return text;
}
