import type { FeedCriteria } from '../../request/criteria.ts';
import { type Shown, say } from '../answer-text.ts';

const ORDERS = {
  newest: say`newest first`,
  price: say`lowest own price first`,
  rating: say`highest rating first`,
  total_price: say`cheapest total first`,
  distance: say`nearest first`,
} as const;

/** Names the order of a result. */
export const orderText = ({ sort, point }: FeedCriteria): Shown =>
  ORDERS[sort ?? (point === undefined ? 'newest' : 'distance')];
