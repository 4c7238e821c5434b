import type { StayWindow } from '../../request/stay-window.ts';
import type { Clause } from '../order/feed-order.ts';

/** Matches the items with a free stay within the window whose cheapest total is within the limits. */
export const stayClauses = (
  _stay: StayWindow,
  _limits: { minTotal?: number | undefined; maxTotal?: number | undefined },
): Clause[] => [{ match_none: {} }];
