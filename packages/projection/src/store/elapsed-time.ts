/** One moment on both clocks, in milliseconds. */
export interface Moment {
  /** The time since the Unix epoch. An administrator or NTP can set this clock back. */
  wall: number;
  /** The time since an arbitrary start. This clock stops while the host sleeps. */
  monotonic: number;
}

export type Clock = () => Moment;

export const systemClock: Clock = () => ({ wall: Date.now(), monotonic: performance.now() });

/**
 * The milliseconds between two moments: the larger of the differences on the two clocks. An old moment
 * therefore never looks recent, even if the host slept or an administrator set the clock back.
 */
export const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.wall - from.wall, to.monotonic - from.monotonic);
