import type { Draws } from './draws.ts';
import type { DemoEvent } from './listing-event.ts';

const LATE = 0.06;
const DUPLICATED = 0.04;
/** How long the telling of one listing goes on, as a part of the whole; the late ones take up to ten times as long. */
const SPREAD = 0.04;

/** The order in which a log holds them: listings interleaved, some events late, some twice. Pure. */
export function arrange(listings: readonly (readonly DemoEvent[])[], draws: Draws): DemoEvent[] {
  const slots = listings.flatMap((events) => {
    const begin = draws.fraction();
    return events.flatMap((event, index) => {
      const slot = begin + (SPREAD * index) / events.length + (draws.chance(LATE) ? draws.fraction() * 10 * SPREAD : 0);
      const again = { slot: slot + draws.fraction() * SPREAD, event };
      return draws.chance(DUPLICATED) ? [{ slot, event }, again] : [{ slot, event }];
    });
  });
  return slots.sort((one, other) => one.slot - other.slot).map(({ event }) => event);
}
