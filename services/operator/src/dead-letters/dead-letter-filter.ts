import { causeOf } from './cause.ts';
import type { StoredDeadLetter } from './stored-dead-letter.ts';

/** Selects dead letters. Absent members exclude nothing. */
export interface DeadLetterFilter {
  reason?: string;
  /** The key in the form that `dead-letters list` prints. */
  key?: string;
  cause?: string;
  /**
   * Selects dead letters that were written at `since` or later, and before `until`, in epoch milliseconds.
   */
  since?: number;
  until?: number;
}

export function matches(
  deadLetter: StoredDeadLetter,
  { reason, key, cause, since = -Infinity, until = Infinity }: DeadLetterFilter,
): boolean {
  const at = Date.parse(deadLetter.time);
  return (
    (reason === undefined || deadLetter.reason === reason) &&
    (key === undefined || deadLetter.key === key) &&
    at >= since &&
    at < until &&
    // Finding the cause requires a hash, so this condition comes last.
    (cause === undefined || causeOf(deadLetter).id === cause)
  );
}
