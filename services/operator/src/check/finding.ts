import type { RecordFault } from '@vitrine/listing-events';
import type { Position } from './position.ts';

/** One fault in a refused record. */
export type Finding = Position & {
  /** The listing's id, if the record names its listing. */
  id?: string;
  reason: string;
} & Pick<RecordFault, 'path' | 'value' | 'limit'>;
