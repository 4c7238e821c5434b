import type { ListingState } from '@vitrine/listing';
import { type DeadLetter, LISTING_FAILED } from './dead-letter.ts';

/** A listing's state and the index that stores it. */
interface FailedListing {
  /** Name of the states index. */
  index: string;
  id: string;
  /** The state document's version. */
  revision: number;
  state: ListingState;
}

/** A state can exceed the limit of the dead-letter topic. A larger state remains only in the states index. */
const MAX_VALUE_BYTES = 512 * 1024;

/**
 * The dead letter of a listing that a rebuild from states or a verification could not turn into an item. No
 * record is at fault, so the states index stands for the topic and the state for the value (null above 512
 * KiB). The offset is always 0: a repair raises the revision of an unchanged state, and the same fault must
 * not create a dead letter every night. Pure. Rule: docs/decisions/0032-failed-listings.md
 * @param detail an explanation for the operator
 */
export function listingDeadLetter({ index, id, revision, state }: FailedListing, detail: string): DeadLetter {
  const value = Buffer.from(JSON.stringify(state));
  return {
    record: {
      topic: index,
      partition: 0,
      offset: '0',
      key: Buffer.from(id),
      value: value.length <= MAX_VALUE_BYTES ? value : null,
      headers: {},
    },
    reason: LISTING_FAILED,
    detail: `revision ${revision} of the state: ${detail}`,
  };
}
