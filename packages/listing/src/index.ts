export { canonicalJson } from './canonical-json.ts';
export {
  type Attempt,
  type BuiltInReason,
  type Derived,
  deriveItem,
  deriveSafely,
  HIDDEN_REASONS,
  type HiddenReason,
  isBuiltIn,
  RULES,
  type Rules,
} from './derive-item.ts';
export { describeValue } from './describe-value.ts';
export { DROPPED_MEMBERS, type DroppedMember, droppedMembers } from './dropped-members.ts';
export { fold } from './fold.ts';
export { everyHeldMember } from './held-members.ts';
export { highestVersion } from './highest-version.ts';
export { EMPTY_STATE, HIDDEN, type ListingState, MAX_DATES } from './listing-state.ts';
export { normalizeUrl } from './listing-url.ts';
export { type ChangingItem, kindsOfChange, noteChange, placeOf, withoutPlace } from './noted-changes.ts';
export {
  type CompleteListing,
  defineRules,
  type RulesModule,
  reasonsOf,
  rulesModuleFaults,
  rulesWith,
} from './rules-module.ts';
export { factsOf, foldNoting, type Ignored, type NotedState, supersededBy } from './superseded.ts';
export { normalizeText, slugify, wordsOf } from './text.ts';
export type { TextMember, TextRules } from './text-rules.ts';
