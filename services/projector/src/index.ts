export { deriveItem, type HiddenReason, RULES, type Rules } from './feed-item.ts';
export { fold } from './fold.ts';
export { EMPTY_STATE, type ListingState } from './listing-state.ts';
export { type ProjectorOptions, startProjector } from './service.ts';
export { checkProjectorSettings, projectorSettings } from './settings.ts';
