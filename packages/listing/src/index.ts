export { canonicalJson } from './canonical-json.ts';
export {
  type Derived,
  deriveItem,
  HIDDEN_REASONS,
  type HiddenReason,
  RULES,
  type Rules,
} from './derive-item.ts';
export { type Attempt, deriveSafely } from './derive-safely.ts';
export { fold } from './fold.ts';
export { EMPTY_STATE, HIDDEN, type ListingState } from './listing-state.ts';
export { normalizeUrl } from './listing-url.ts';
export { normalizeText, slugify, wordsOf } from './text.ts';
