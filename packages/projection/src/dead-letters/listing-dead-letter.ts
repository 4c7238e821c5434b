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
 * record caused the failure. Therefore the dead letter contains the states index's name as its topic, and the
 * state as its value (null above 512 KiB). Its offset is always 0, because a repair increments the revision
 * of an unchanged state, and the same failure must not create a new dead letter every night. Pure. Rule:
 * docs/decisions/0032-failed-listings.md
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
    detail: `state revision ${revision}: ${detail}`,
  };
}
