import type { RecordOrEvent } from '@vitrine/listing-events';

const BEGINNING_BYTES = 64 * 1024;
const MAX_ID = 200;
const SUBJECT = /"subject"\s*:\s*("(?:[^"\\]|\\.){1,200}")/;

/**
 * Finds the id of a refused record's listing in the record's key, or in the event's `subject`, even if the
 * event is not valid JSON. Pure.
 * @returns at most 200 characters; undefined if the record does not name a listing
 */
export function listingOf({ key, value }: RecordOrEvent): string | undefined {
  if (key) return key.toString().slice(0, MAX_ID).toWellFormed();
  const subject = value && (subjectOf(value) ?? subjectIn(value));
  return typeof subject === 'string' ? subject.slice(0, MAX_ID).toWellFormed() : undefined;
}

const subjectOf = (value: Buffer): unknown =>
  parsed(value.toString(), (event) => (event as { subject?: unknown } | null)?.subject);

function subjectIn(value: Buffer): unknown {
  const [, text] = SUBJECT.exec(value.subarray(0, BEGINNING_BYTES).toString()) ?? [];
  return text === undefined ? undefined : parsed(text, (subject) => subject);
}

function parsed<T>(json: string, read: (value: unknown) => T): T | undefined {
  try {
    return read(JSON.parse(json));
  } catch {
    return undefined;
  }
}
