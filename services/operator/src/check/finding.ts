import type { RecordFault } from '@vitrine/listing-events';
import type { Position } from './position.ts';

/** One fault of a refused record. */
export type Finding = Position & {
  /** Absent if the record does not name its listing. */
  id?: string;
  reason: string;
} & Pick<RecordFault, 'path' | 'value' | 'limit'>;
