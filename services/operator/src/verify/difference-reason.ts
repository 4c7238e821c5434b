import type { RulesVersion, Versions } from '@vitrine/feed-index';

/** Why two generations differ for one listing, as a code with parameters. */
export type DifferenceReason =
  /** The live item is not the one that its own state yields: it was edited or lost. */
  | { code: 'live-item-differs' }
  /** The new item is not the one that its own state yields. */
  | { code: 'new-item-differs' }
  /** The states are equal, and each item is the one that its generation's rules yielded. */
  | { code: 'rules-changed'; before: RulesVersion; rules: RulesVersion }
  | { code: 'mapping-changed'; before: number; items: number }
  /** The states differ, because one generation lacks events that the other has. */
  | { code: 'other-facts' }
  /** The items are equal, but the new state lacks facts that affect later events. */
  | { code: 'missing-facts' }
  | { code: 'rules-failed'; message: string }
  /** A projector wrote the listing while it was compared. */
  | { code: 'changing' };

/** The facts on which the reason depends. */
export interface ReasonFacts {
  isChanging: boolean;
  /** Whether only the facts of the states differ. */
  hasEqualItems: boolean;
  hasSameFacts: boolean;
  /** Whether each item is the one that this version's rules yield for its state. */
  liveAgrees: boolean;
  newAgrees: boolean;
  failure?: string | undefined;
}

/**
 * Determines why two generations differ for a listing. If the rules have changed, an edited live item cannot
 * be told apart from an item that the old rules yielded, so the change of the rules is the reason. Pure.
 */
export function reasonOf(
  { isChanging, hasEqualItems, hasSameFacts, liveAgrees, newAgrees, failure }: ReasonFacts,
  live: Versions,
  fresh: Versions,
): DifferenceReason {
  if (failure !== undefined) return { code: 'rules-failed', message: failure };
  if (isChanging) return { code: 'changing' };
  if (hasEqualItems) return { code: 'missing-facts' };
  if (!hasSameFacts) return { code: 'other-facts' };
  if (!newAgrees) return { code: 'new-item-differs' };
  if (!liveAgrees && live.rules !== fresh.rules)
    return { code: 'rules-changed', before: live.rules, rules: fresh.rules };
  if (!liveAgrees) return { code: 'live-item-differs' };
  return { code: 'mapping-changed', before: live.items, items: fresh.items };
}
