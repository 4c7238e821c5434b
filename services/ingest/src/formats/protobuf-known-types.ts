import type protobuf from 'protobufjs';
import { decimal, exactInteger, MAX_SCALE, time } from './exact-values.ts';
import { UndecodableError } from './format.ts';

const WRAPPER = /^\.google\.protobuf\.(Double|Float|U?Int(32|64)|Bool|String|Bytes)Value$/;

/**
 * Returns the value of a message that stands for a time, a date, a decimal or a single value. Returns any
 * other message unchanged.
 */
export function knownValue(type: string, members: Record<string, unknown>): unknown {
  if (WRAPPER.test(type)) return members.value;
  if (type === '.google.protobuf.Timestamp') return timestamp(members);
  if (type === '.confluent.type.Decimal') return decimalOf(members);
  if (type === '.google.type.Date') return dateOf(members);
  return members;
}

/**
 * Converts a 64-bit integer from protobufjs, which is a `Long` or, if that class is not available, a number.
 */
export function integer(value: number | protobuf.Long): number | bigint {
  if (typeof value === 'number') return value;
  const bits = (BigInt(value.high >>> 0) << 32n) | BigInt(value.low >>> 0);
  return exactInteger(value.unsigned ? bits : BigInt.asIntN(64, bits));
}

/** Returns a time with 3, 6 or 9 digits after the point, as in Protobuf's JSON form. */
function timestamp(members: Record<string, unknown>): unknown {
  const { seconds, nanos } = members as { seconds: number | bigint; nanos: number };
  const digits = nanos % 1_000_000 === 0 ? 3 : nanos % 1_000 === 0 ? 6 : 9;
  const perSecond = 10n ** BigInt(digits);
  return time(BigInt(seconds) * perSecond + (BigInt(nanos) * perSecond) / 1_000_000_000n, digits, 'Z');
}

function decimalOf(members: Record<string, unknown>): string {
  const { value, scale } = members as { value: Buffer; scale: number };
  if (scale < 0 || scale > MAX_SCALE)
    throw new UndecodableError(`a decimal has the scale ${scale}; the limit is ${MAX_SCALE}`);
  return decimal(value, scale);
}

/** A date may lack parts: `2026-07`, or `2026`, as google.type.Date allows. */
function dateOf(members: Record<string, unknown>): string {
  const { year, month, day } = members as { year: number; month: number; day: number };
  const parts = [String(year).padStart(4, '0')];
  for (const part of [month, day]) {
    if (part === 0) break;
    parts.push(String(part).padStart(2, '0'));
  }
  return parts.join('-');
}
