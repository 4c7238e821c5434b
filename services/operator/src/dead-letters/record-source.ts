import { type RawRecord, readEnvelope } from '@vitrine/listing-events';

/** Reads the source that a refused record names. Returns undefined if the record names none. Pure. */
export function recordSource({ value, headers = {} }: RawRecord): string | undefined {
  if (value === null) return undefined;
  try {
    const source = (readEnvelope(value, headers) as { source?: unknown }).source;
    return typeof source === 'string' ? source : undefined;
  } catch {
    // The dead letter already states why the record is unreadable.
    return undefined;
  }
}
