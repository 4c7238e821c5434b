/**
 * An index of a generation is missing, was replaced, or has a mapping or settings that forbid writing to it.
 * The message names the repair.
 */
export class UnusableIndexError extends Error {
  override readonly name = 'UnusableIndexError';
}
