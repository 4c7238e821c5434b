/**
 * How a listing changes in the feed (docs/reference/rules.md#changes): it enters the feed, its own price
 * changes, its calendar changes, another part of its item changes, or it leaves the feed.
 */
export const CHANGE_KINDS = ['new', 'price', 'availability', 'other', 'removed'] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The time of the last change of each kind, in epoch milliseconds. */
export type ChangeTimes = Partial<Record<ChangeKind, number>>;

/** The details in a listing's entry about how the listing has changed since it last entered the feed. */
export interface ChangeDetails {
  times: ChangeTimes;
  /** The listing's own price before its last change, in BRL. It is absent if there was no such change. */
  previous_price?: number;
  /** The slug of the city, alone and with the code of its state: `bonito` and `bonito-ms`. */
  city?: string[];
  /** The slug of the category. */
  category?: string;
}

/**
 * Finds the last change. If several have the same time, the first one in the order of `CHANGE_KINDS` counts.
 * @returns undefined if there is none
 */
export function latestChange(times: ChangeTimes): { kind: ChangeKind; at: number } | undefined {
  let latest: { kind: ChangeKind; at: number } | undefined;
  for (const kind of CHANGE_KINDS) {
    const at = times[kind];
    if (at !== undefined && at > (latest?.at ?? Number.NEGATIVE_INFINITY)) latest = { kind, at };
  }
  return latest;
}
