import type { Availability, FeedItem as CommonItem } from '../../../../feed-index/src/item.ts';

export type { Availability };

/** An item of the feeds. The agent feed adds `availability` (docs/reference/rules.md#feed-item). */
export interface FeedItem extends CommonItem {
  availability?: Availability[];
  /** The cheapest stay, if the request asks for stays (docs/reference/rules.md#stays). */
  stay?: { from: string; to: string; total_price: number };
}
