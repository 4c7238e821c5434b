import type { estypes } from '@elastic/elasticsearch';
import { requiredSettings } from '../index-settings.ts';
import { CHANGE_KINDS, type ChangeDetails, type ChangeKind } from './change-kinds.ts';

/** Whether the listing was in the feed or had left it at the time of the write. */
export type ChangeState = 'updated' | 'deleted';

/**
 * A listing's entry in a generation's changes index, under the listing's id. Its sequence number orders the
 * changes (docs/guide/changes.md). An entry of mapping 1 has no details.
 */
export interface ChangeEntry extends Partial<ChangeDetails> {
  state: ChangeState;
  /** The time of the write, in epoch milliseconds. */
  at: number;
}

/** The mapping of new generations. */
export const CHANGES_MAPPING_VERSION = 2;

/**
 * Whether entries with this mapping have details. The generations from release 1.1.0 have mapping 1, and this
 * code still writes and reads them.
 */
export const hasDetails = (version: number | undefined): boolean => version === CHANGES_MAPPING_VERSION;

/** Whether this code reads and writes changes indices of this version. */
export const isChangesMapping = (version: number): boolean =>
  version === 1 || version === CHANGES_MAPPING_VERSION;

type Properties<Member extends string> = Record<Member, estypes.MappingProperty>;

const date: estypes.MappingProperty = { type: 'date', format: 'epoch_millis' };
/** A slug field is used for searches, but never for sorting or aggregations. */
const slug: estypes.MappingProperty = { type: 'keyword', doc_values: false };
const basic: Properties<'state' | 'at'> = { state: { type: 'keyword' }, at: date };
const times = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, date])) as Properties<ChangeKind>;
const details: Properties<keyof ChangeDetails> = {
  times: { dynamic: 'strict', properties: times },
  previous_price: { type: 'double', index: false, doc_values: false },
  city: slug,
  category: slug,
};

/**
 * The settings and the mapping of a changes index. The index has one shard, so its sequence numbers form a
 * single order.
 * @param version 1, or the mapping of new generations
 */
export function changesIndexBody(version: number = CHANGES_MAPPING_VERSION): {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
} {
  return {
    settings: { auto_expand_replicas: '0-1', ...requiredSettings('changes') },
    mappings: {
      dynamic: 'strict',
      _meta: { mapping_version: version },
      properties: hasDetails(version) ? { ...basic, ...details } : { ...basic },
    },
  };
}

/**
 * The number of sequence numbers per epoch. A change number is a safe JSON integer, which leaves room for
 * 2^13 epochs.
 */
const SEQUENCES = 2 ** 40;

/** The highest epoch whose change numbers are all safe integers. */
export const MAX_EPOCH = Math.floor(Number.MAX_SAFE_INTEGER / SEQUENCES);

export interface ChangePosition {
  epoch: number;
  sequence: number;
}

/** Returns the change number of an entry. @param sequence from 0 */
export const changeNumber = (epoch: number, sequence: number): number => epoch * SEQUENCES + sequence;

/** Splits a change number from 0 to 2^53-1. */
export const splitChangeNumber = (number: number): ChangePosition => ({
  epoch: Math.floor(number / SEQUENCES),
  sequence: number % SEQUENCES,
});
