import { PageTooLarge } from '../search/page-too-large.ts';
import { BudgetExceeded } from './request-budget.ts';

/** Whether a request failed because it needs more than its budget. Each protocol has an error for that. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof BudgetExceeded || error instanceof PageTooLarge;
