/** A row as Debezium writes it: column name -> value. */
export type Row = Record<string, unknown>;

/**
 * Thrown when a mapping reads a column whose value Debezium left out, because an update did not change it.
 */
export class UnavailableColumn extends Error {
  constructor(column: string) {
    super(`PostgreSQL did not log the column ${column}. Set REPLICA IDENTITY FULL for the table`);
  }
}

/**
 * PostgreSQL does not log unchanged values that it stores outside of their row (TOAST), so Debezium writes
 * this string instead (`unavailable.value.placeholder`). For an array, it writes an array with this string as
 * the only element.
 */
const PLACEHOLDER = '__debezium_unavailable_value';
const isUnavailable = (value: unknown): boolean =>
  value === PLACEHOLDER || (Array.isArray(value) && value.length === 1 && value[0] === PLACEHOLDER);

/**
 * Returns a copy of a row. The copy throws `UnavailableColumn` when a mapping reads a column that was left
 * out.
 */
export function readableRow(row: Row): Row {
  const readable: Row = { ...row };
  for (const [name, value] of Object.entries(row))
    if (isUnavailable(value))
      Object.defineProperty(readable, name, {
        get() {
          throw new UnavailableColumn(name);
        },
      });
  return readable;
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Reads a number from a number, from a decimal string (`decimal.handling.mode=string`), or from Debezium's
 * structure for a `numeric` column without a scale.
 * @throws Error for other values, including `precise` decimals, whose scale only the schema knows
 */
export function numberIn(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'bigint') return finite(Number(value));
  if (typeof value === 'string' && DECIMAL.test(value)) return finite(Number(value));
  const { scale, value: unscaled } = value as { scale?: unknown; value?: unknown };
  if (typeof scale === 'number' && (typeof unscaled === 'string' || Buffer.isBuffer(unscaled)))
    return finite(Number(`${signed(Buffer.from(unscaled as string, 'base64'))}e-${scale}`));
  throw new Error(
    `${JSON.stringify(value)} is not a number. Set decimal.handling.mode of the connector to string or double`,
  );
}

/** @throws Error for a number like 1e999, because JSON would write it as null */
function finite(number: number): number {
  if (!Number.isFinite(number)) throw new Error(`the number is ${number}`);
  return number;
}

/**
 * Converting a longer number would take seconds, and the result would be infinite in JavaScript. 10^308 has
 * 128 bytes.
 */
const MAX_NUMBER_BYTES = 128;

/** Reads a big-endian two's complement integer, as Java writes it. @throws Error */
function signed(bytes: Buffer): bigint {
  if (bytes.length > MAX_NUMBER_BYTES) throw new Error(`the number has ${bytes.length} bytes`);
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex') || '0'}`));
}

/**
 * Reads a string. A number becomes a decimal string.
 * @throws Error for an integer that JSON has rounded, and for an object, which would become '[object Object]'
 */
export function textIn(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') throw new Error(`${JSON.stringify(value)} is not text`);
  if (typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value))
    throw new Error(`the integer ${value} is above 2^53-1, so JSON has rounded it. Use a text column`);
  return String(value);
}

const MS_PER_DAY = 86_400_000;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?=$|[T Z+-])/;

/** Reads a date: days since 1970 (a `date` column), or a string that begins with YYYY-MM-DD. @throws Error */
export function dateIn(value: unknown): string {
  if (typeof value === 'string' && ISO_DATE.test(value)) return value.slice(0, 10);
  if (typeof value === 'number' && Number.isInteger(value))
    return new Date(value * MS_PER_DAY).toISOString().slice(0, 10);
  throw new Error(`${JSON.stringify(value)} is not a date`);
}

const LOCAL_TIME = /T[\d:.]+$/;

/** Debezium writes milliseconds, microseconds or nanoseconds, depending on the column's precision. */
const MICROSECONDS_FROM = 1e14;
const NANOSECONDS_FROM = 1e17;
/** A smaller integer is a number of days. In milliseconds, it would be a time early on 1970-01-01. */
const MILLISECONDS_FROM = 1e7;
const DATE_ALONE = /^(\d{4}-\d{2}-\d{2})Z?$/;

/**
 * Reads a time: text (a `timestamptz` column), or an integer (a `timestamp` column, whose times are in UTC).
 * The unit of the integer follows from its size, so an integer in microseconds or nanoseconds must be a time
 * from March 1973 on. The value of a `date` column becomes midnight in UTC.
 * @returns RFC 3339
 * @throws Error
 */
export function timeIn(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string')
    return LOCAL_TIME.test(value) ? `${value}Z` : value.replace(DATE_ALONE, '$1T00:00:00Z');
  if (typeof value !== 'number' && typeof value !== 'bigint')
    throw new Error(`${JSON.stringify(value)} is not a time`);
  const number = Number(value);
  const size = Math.abs(number);
  if (size < MILLISECONDS_FROM) return new Date(number * MS_PER_DAY).toISOString();
  const perMs = size >= NANOSECONDS_FROM ? 1e6 : size >= MICROSECONDS_FROM ? 1e3 : 1;
  return new Date(Math.floor(number / perMs)).toISOString();
}

/**
 * Reads a list of strings from an array or from JSON text (a `jsonb` column). Leaves out null elements.
 * @throws Error
 */
export function textsIn(value: unknown): string[] | null {
  if (value === null || value === undefined) return null;
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (!Array.isArray(list)) throw new Error(`${JSON.stringify(value)} is not an array`);
  return list.map(textIn).filter((one) => one !== null);
}

/** Reads a boolean. @throws Error */
export function booleanIn(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`${JSON.stringify(value)} is not a boolean`);
}
