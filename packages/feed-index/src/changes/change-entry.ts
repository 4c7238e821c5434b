import type { estypes } from '@elastic/elasticsearch';
import { requiredSettings } from '../index-settings.ts';

/** Whether the listing was in the feed or had left it at the time of the write. */
export type ChangeState = 'updated' | 'deleted';

/**
 * A listing's entry in a generation's changes index, under the listing's id. Its sequence number orders the
 * changes (docs/guide/changes.md).
 */
export interface ChangeEntry {
  state: ChangeState;
  /** Time of the write, epoch milliseconds. */
  at: number;
}

/** Increment this version if this code can no longer read or write the entries of older code. */
export const CHANGES_MAPPING_VERSION = 1;

const properties: Record<keyof ChangeEntry, estypes.MappingProperty> = {
  state: { type: 'keyword' },
  at: { type: 'date', format: 'epoch_millis' },
};

/** Settings and mapping of a changes index. It has one shard, so that its sequence numbers form one order. */
export function changesIndexBody(): {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
} {
  return {
    settings: { auto_expand_replicas: '0-1', ...requiredSettings('changes') },
    mappings: {
      dynamic: 'strict',
      _meta: { mapping_version: CHANGES_MAPPING_VERSION },
      properties,
    },
  };
}

/** Number of sequence numbers per epoch. A change number is a JSON integer, which leaves 2^13 epochs. */
const SEQUENCES = 2 ** 40;

/** The highest epoch whose change numbers are all safe integers. */
export const MAX_EPOCH = Math.floor(Number.MAX_SAFE_INTEGER / SEQUENCES);

/** A position in the changes of one epoch. */
export interface ChangePosition {
  epoch: number;
  /** The sequence number of an entry. */
  sequence: number;
}

/** The change number of an entry. @param sequence from 0 */
export const changeNumber = (epoch: number, sequence: number): number => epoch * SEQUENCES + sequence;

/** Splits a change number from 0 to 2^53-1. */
export const splitChangeNumber = (number: number): ChangePosition => ({
  epoch: Math.floor(number / SEQUENCES),
  sequence: number % SEQUENCES,
});
