export { type Availability, type FeedItem, ITEM_MAPPING_VERSION, type ItemDocument, itemsIndexBody } from './item-document.ts';
export {
  formerItemsAlias,
  formerStatesAlias,
  type Generation,
  generationNames,
  generationOfItems,
  itemsAlias,
  registryIndex,
  statesAlias,
} from './names.ts';
export { normalizeText, slugify } from './text.ts';
