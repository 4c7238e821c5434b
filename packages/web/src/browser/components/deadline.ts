/**
 * Adds a deadline to a signal, because a request never ends if its connection is lost silently.
 * @param signal the signal of a reader who may leave
 * @returns a signal that also aborts after `ms` milliseconds. Only the reader aborts the given signal
 */
export const withDeadline = (signal: AbortSignal, ms: number): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(ms)]);
