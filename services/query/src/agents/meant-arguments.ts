import { type Shown, say } from './answer-text.ts';
import type { ArgumentSchema, InputSchema } from './argument-schemas.ts';

/** Each digit can match in one way only, because the time must not grow with the square of the length. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Reads arguments as their sender meant them, because models and clients write values in many forms:
 * - Null and an optional empty string count as absent, even in a list. A list without values counts as
 *   absent.
 * - A number or a flag may be a string, and one of several fixed values may have another letter case.
 * - A list may be one string, or a string that contains a JSON array.
 * - A `limit` outside its range becomes the nearest allowed value, and a note says so.
 * Every other value stays as it is, so that the schema check can name it.
 */
export function meantArguments(
  given: object,
  { properties, required = [] }: InputSchema,
): { args: unknown; notes: Shown[] } {
  const notes: Shown[] = [];
  const args: [string, unknown][] = [];
  for (const [name, sent] of Object.entries(given)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const value = schema ? meantValue(sent, schema) : sent;
    if (value === null || (isEmpty(value) && !required.includes(name))) continue;
    const limit = name === 'limit' && schema ? clampedLimit(value, schema) : undefined;
    if (limit !== undefined)
      notes.push(say`limit must be from 1 to ${limit.maximum}. This answer used ${limit.value}.`);
    args.push([name, limit?.value ?? value]);
  }
  return { args: Object.fromEntries(args), notes };
}

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0);

function meantValue(sent: unknown, { type, enum: values, items }: ArgumentSchema): unknown {
  if (type === 'array')
    return listOf(sent)
      ?.filter((one) => one !== null && one !== '')
      .map((one) => (items ? meantValue(one, items) : one));
  if (typeof sent !== 'string') return sent;
  const text = sent.trim();
  if ((type === 'number' || type === 'integer') && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return values?.find((value) => value.toLowerCase() === text.toLowerCase()) ?? sent;
}

/** A single value is a list of one. */
function listOf(sent: unknown): unknown[] {
  if (Array.isArray(sent)) return sent;
  if (typeof sent !== 'string' || !sent.trim().startsWith('[')) return [sent];
  try {
    const parsed: unknown = JSON.parse(sent);
    return Array.isArray(parsed) ? parsed : [sent];
  } catch {
    return [sent];
  }
}

function clampedLimit(value: unknown, { minimum, maximum }: ArgumentSchema) {
  if (typeof value !== 'number' || minimum === undefined || maximum === undefined) return undefined;
  const nearest = Math.min(Math.max(value, minimum), maximum);
  return nearest === value ? undefined : { value: nearest, maximum };
}
