import type { DeadLetter } from './dead-letter.ts';
import type { ListingState } from './listing-state.ts';

/** Reason of a dead letter for a listing whose state gives no item that the index takes. */
export const LISTING_FAILED = 'listing-failed';

/** A listing's state and where it is stored. */
interface FailedListing {
  /** Name of the states index. */
  index: string;
  id: string;
  /** The state document's version. */
  revision: number;
  state: ListingState;
}

/** A state has no bound of its own, and the dead-letter topic has one. The states index keeps a larger state. */
const MAX_VALUE_BYTES = 512 * 1024;

/**
 * The dead letter for a listing that a rebuild from states or a verification could not turn into an item. No record is
 * at fault: the states index takes the place of the topic, and the state that of the value (null if it has more than
 * 512 KiB). The offset is always 0, because a repair raises the revision of a state without changing it, and the same
 * fault must not make another dead letter each night. Pure. Rule: docs/decisions/0032-failed-listings.md
 * @param detail a sentence for a person
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
