/** One moment on both clocks, in milliseconds. */
export interface Moment {
  /** Since the Unix epoch. An administrator or NTP can set this clock back. */
  wall: number;
  /** Since an arbitrary start. This clock stands still while the host sleeps. */
  monotonic: number;
}

export type Clock = () => Moment;

export const systemClock: Clock = () => ({ wall: Date.now(), monotonic: performance.now() });

/**
 * Milliseconds between two moments: the larger difference of the two clocks, so that neither a host that
 * slept nor a clock that was set back makes an old moment look recent.
 */
export const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.wall - from.wall, to.monotonic - from.monotonic);
