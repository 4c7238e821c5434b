import {
  CHANGES_MAPPING_VERSION,
  ITEM_MAPPING_VERSION,
  type ItemDocument,
  isChangesMapping,
  isItemMapping,
  itemMapping,
  type RulesVersion,
  type Versions,
} from '@vitrine/feed-index';
import type { Rules } from '@vitrine/listing';
import { STATE_MAPPING_VERSION } from '../store/state-store.ts';

/** The versions of the generations that this code builds with these rules. */
export const versionsWith = (rules: { version: RulesVersion }): Versions => ({
  states: STATE_MAPPING_VERSION,
  items: ITEM_MAPPING_VERSION,
  changes: CHANGES_MAPPING_VERSION,
  rules: rules.version,
});

/**
 * Whether this code writes generations of these versions. This code writes items with every mapping that it
 * has, so that the previous generation stays current during an upgrade (docs/operate/upgrading.md). A
 * generation that an earlier release built has no changes index.
 */
export const isWritable = (versions: Versions, rules: { version: RulesVersion }): boolean =>
  versions.states === STATE_MAPPING_VERSION &&
  isItemMapping(versions.items) &&
  (versions.changes === undefined || isChangesMapping(versions.changes)) &&
  versions.rules === rules.version;

/**
 * Returns the rules with items in the form that one generation's index has.
 * @throws an Error if this code does not have the generation's items mapping
 */
export function documentRules({ items }: Pick<Versions, 'items'>, rules: Rules): Rules<ItemDocument> {
  const mapping = itemMapping(items);
  return {
    ...rules,
    derive(id, state) {
      const derived = rules.derive(id, state);
      return derived.item ? { item: mapping.documentOf(derived.item) } : derived;
    },
  };
}
