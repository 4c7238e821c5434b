export { type Availability, type FeedItem, ITEM_MAPPING_VERSION, type ItemDocument, itemsIndexBody } from './item-document.ts';
export { type Generation, generationNames, generationOfItems, itemsAlias, statesAlias } from './names.ts';
export { normalizeText, slugify } from './text.ts';
