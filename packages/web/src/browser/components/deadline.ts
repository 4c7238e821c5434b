/**
 * Adds a deadline to a signal, because a connection that is lost without a word never ends a request.
 * @param signal the signal of a reader who may leave
 * @returns a signal that also aborts after `ms` milliseconds. The given signal shows which of both has happened
 */
export const withDeadline = (signal: AbortSignal, ms: number): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(ms)]);
