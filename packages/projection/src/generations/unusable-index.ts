/**
 * The error for a generation's index that is missing, was replaced, or has a mapping or settings that forbid
 * writing to it. The message names the repair.
 */
export class UnusableIndexError extends Error {
  override readonly name = 'UnusableIndexError';
}
