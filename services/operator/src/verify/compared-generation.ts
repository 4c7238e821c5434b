import {
  describeVersions,
  GenerationError,
  type GenerationRecord,
  type ItemContent,
  type ItemDocument,
  isItemMapping,
  itemMapping,
} from '@vitrine/feed-index';
import type { Rules } from '@vitrine/listing';
import { documentRules } from '@vitrine/projection/generations';
import { type CheckedListing, checkListing, type StoredListing } from './stored-listing.ts';

/** A document, or its content if the documents of the two generations have different forms. */
export type ComparedItem = ItemDocument | ItemContent;

/** A listing on one side of a comparison. */
export type ComparedListing = Omit<CheckedListing, 'item'> & { item?: ComparedItem };

/** One side of a comparison between two generations. */
export interface ComparedGeneration {
  comparable(document: ItemDocument): ComparedItem;
  /** Compares a listing with the rules, and reduces its item to the part that is compared. */
  check(id: string, held: StoredListing | undefined): ComparedListing;
}

/**
 * One side of a comparison. Documents with the same mapping are compared completely. For documents with
 * different mappings, the comparison covers the content that both forms have: everything that the feeds
 * serve, count, filter or sort by.
 * @throws GenerationError if this code cannot read the documents of `record`
 */
export function comparedGeneration(
  record: GenerationRecord,
  beside: GenerationRecord,
  rules: Rules,
): ComparedGeneration {
  const { number, versions } = record;
  if (!isItemMapping(versions.items))
    throw new GenerationError(
      `generation ${number} was built with ${describeVersions(versions)}, which this code cannot read`,
    );
  const comparable = (document: ItemDocument): ComparedItem =>
    versions.items === beside.versions.items ? document : itemMapping(versions.items).contentOf(document);
  const ownRules = documentRules(versions, rules);
  return {
    comparable,
    check(id, held = {}) {
      const { item, ...checked } = checkListing(id, held, ownRules);
      return item ? { ...checked, item: comparable(item) } : checked;
    },
  };
}
