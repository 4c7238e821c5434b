import { createHash } from 'node:crypto';
import { faultPath } from './record-fault.ts';
import { recordSource } from './record-source.ts';
import type { StoredDeadLetter } from './stored-dead-letter.ts';

/** What dead letters have in common if one defect in a source has caused them. */
export interface Cause {
  /** A short name, which is the same in every process. */
  id: string;
  reason: string;
  /**
   * The JSON pointer to the fault in the event, with `*` for the index of an element. It is empty for the
   * whole record.
   */
  path: string;
  /** The source that the record names, if it names one. */
  source?: string;
}

const LONGEST = 200;

/** Finds the cause of a dead letter. Pure. */
export function causeOf(deadLetter: StoredDeadLetter): Cause {
  const { reason } = deadLetter;
  const path = shortened(faultPath(deadLetter).replace(/\/\d+(?=\/|$)/g, '/*'));
  const named = recordSource(deadLetter.record);
  const source = named === undefined ? undefined : shortened(named);
  const hash = createHash('sha256').update(JSON.stringify([reason, path, source ?? null]));
  return {
    id: hash.digest('hex').slice(0, 10),
    reason,
    path,
    ...(source !== undefined && { source }),
  };
}

const shortened = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 1).toWellFormed()}…` : text;
