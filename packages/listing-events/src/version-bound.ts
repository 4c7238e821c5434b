import { LAST_INSTANT } from './instant.ts';

/**
 * Returns the highest number that a record's version may have.
 * @param timestamp the record's own timestamp in epoch milliseconds, if it has one
 */
export type VersionBound = (timestamp?: number) => number;

const HOUR_MS = 3_600_000;
const HOURS = { h: 1, d: 24 };
const UNITS_PER_MS = { ms: 1, us: 1_000 };
const MOVING = /^now\+(?<amount>[1-9]\d{0,4})(?<period>[dh])(?::(?<unit>ms|us))?$/;

/**
 * Reads the setting `MAX_VERSION`. `now+1d` and `now+12h` move with the clock, in milliseconds or, with
 * `:us`, in microseconds. A plain number is a fixed bound. A moving bound counts from the record's timestamp,
 * so a replay refuses the same records as the projector (docs/decisions/0101).
 * @param clock the current time in epoch milliseconds, which a record's timestamp cannot exceed
 * @returns undefined if there is no setting
 * @throws RangeError for any other form
 */
export function versionBound(setting: string | undefined, clock = Date.now): VersionBound | undefined {
  if (setting === undefined) return undefined;
  const fault = versionBoundFault(setting);
  if (fault !== undefined) throw new RangeError(fault);
  const { amount, period, unit = 'ms' } = MOVING.exec(setting)?.groups ?? {};
  if (amount === undefined) return () => Number(setting);
  const ahead = Number(amount) * HOURS[period as keyof typeof HOURS] * HOUR_MS;
  const scale = UNITS_PER_MS[unit as keyof typeof UNITS_PER_MS];
  return (timestamp = -1) => {
    const now = clock();
    // Kafka does not check a producer's timestamp, which may be absent (-1) or in nanoseconds.
    const isTime = timestamp >= 0 && timestamp <= LAST_INSTANT;
    return ((isTime ? Math.min(now, timestamp) : now) + ahead) * scale;
  };
}

/** Returns the reason why the value of `MAX_VERSION` is invalid, or undefined. */
export function versionBoundFault(setting: string): string | undefined {
  const isNumber =
    /^\d{1,16}$/.test(setting) && Number.isSafeInteger(Number(setting)) && Number(setting) >= 1;
  return isNumber || MOVING.test(setting)
    ? undefined
    : `MAX_VERSION=${JSON.stringify(setting)} must be an integer from 1 to 2^53-1, or now+<days>d or ` +
        'now+<hours>h in milliseconds (now+1d) or in microseconds (now+1d:us)';
}
