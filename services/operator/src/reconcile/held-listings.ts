import type { HiddenReason } from '@vitrine/listing';
import type { Version } from '@vitrine/listing-events';
import type { SortedRecords } from './files/sorted-records.ts';
import { fingerprint, type ListingView, VIEWED } from './listing-view.ts';

/** One document of a listing in the live generation: its state (`s`) or its item (`i`). */
export type HeldRecord =
  | readonly [id: string, kind: 's', highest: Version | null, hidden: HiddenReason | null]
  | readonly [id: string, kind: 'i', fingerprints: readonly string[]];

/** What the live generation holds for a listing. */
export interface HeldListing {
  id: string;
  /** The facts of the state, if the listing has one. */
  state?: {
    /** The highest version, or null if no event for the listing was ever accepted. */
    highest: Version | null;
    /** The reason why the listing is hidden, or null if the state yields an item. */
    hidden: HiddenReason | null;
  };
  /**
   * The fingerprints of the item's members, in the order of `VIEWED`. They are absent if the listing has no
   * item.
   */
  item?: readonly string[];
}

/** The fingerprints of all members, in the order of `VIEWED`. Pure. */
export const fingerprintsOf = (view: ListingView): string[] => VIEWED.map((name) => fingerprint(view[name]));

/** Joins the documents of each listing, in ascending byte order of id. */
export async function* heldListings(
  records: Pick<SortedRecords<HeldRecord>, 'pages'>,
): AsyncGenerator<HeldListing[]> {
  let last: HeldListing | undefined;
  for await (const page of records.pages()) {
    const listings: HeldListing[] = [];
    for (const record of page) {
      const [id, kind] = record;
      if (last?.id !== id) {
        if (last) listings.push(last);
        last = { id };
      }
      if (kind === 's') last.state = { highest: record[2], hidden: record[3] };
      else last.item = record[2];
    }
    yield listings;
  }
  if (last) yield [last];
}
