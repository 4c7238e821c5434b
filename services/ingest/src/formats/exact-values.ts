import { UndecodableError } from './format.ts';

/** Longer numbers take seconds to write in decimal notation. A number of 128 bytes has 308 digits. */
const MAX_DECIMAL_BYTES = 128;
/** PostgreSQL's own limit is 1,000 digits. */
export const MAX_SCALE = 1_000;

/**
 * Returns the value as a number if that is exact, and otherwise as a bigint. No 64-bit value loses digits.
 */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The decimal notation of a big-endian two's complement integer, with `scale` digits after the point. */
export function decimal(bytes: Buffer, scale: number): string {
  if (bytes.length > MAX_DECIMAL_BYTES)
    throw new UndecodableError(`a decimal has more than ${MAX_DECIMAL_BYTES} bytes`);
  const unscaled =
    bytes.length === 0 ? 0n : BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const fraction = scale === 0 ? '' : `.${digits.slice(point)}`;
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`;
}

/**
 * Converts a number of days since 1970 to a date such as `2026-07-01`. RFC 3339 has only the years 0 to 9999.
 * For other years, the function returns the number itself. Sources write such numbers for `infinity`.
 */
export function date(days: number): string | number {
  return rfc3339(days * 86_400_000)?.slice(0, 10) ?? days;
}

/**
 * Converts a number of units since 1970 to a time such as `2026-07-01T10:00:00.123456`. Outside the years 0
 * to 9999, the function returns the number itself.
 * @param digits the number of digits that the unit has after the point: 3, 6 or 9
 * @param suffix `Z`, or nothing for a local time
 */
export function time(value: number | bigint, digits: number, suffix: string): string | number | bigint {
  const units = BigInt(value);
  const perSecond = 10n ** BigInt(digits);
  const fraction = ((units % perSecond) + perSecond) % perSecond;
  const text = rfc3339(Number((units - fraction) / perSecond) * 1_000);
  return text === undefined
    ? value
    : `${text.slice(0, 19)}.${String(fraction).padStart(digits, '0')}${suffix}`;
}

/** Converts milliseconds since 1970 to RFC 3339. Returns undefined outside the years 0 to 9999. */
function rfc3339(ms: number): string | undefined {
  const text = Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : '';
  return /^\d/.test(text) ? text : undefined;
}
