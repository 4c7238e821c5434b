/**
 * An index of a generation is missing, was replaced, or has a mapping or settings with which this code must
 * not write it. The message names the repair.
 */
export class UnusableIndexError extends Error {
  override readonly name = 'UnusableIndexError';
}
