import type { HiddenReason } from '@vitrine/listing';
import type { Version } from '@vitrine/listing-events';
import type { SortedRecords } from './files/sorted-records.ts';
import { fingerprint, type ListingView, VIEWED } from './listing-view.ts';

/** One document of a listing in the live generation: its state (`s`) or its item (`i`). */
export type HeldRecord =
  | readonly [id: string, kind: 's', highest: Version | null, hidden: HiddenReason | null]
  | readonly [id: string, kind: 'i', fingerprints: readonly string[]];

/** What the live generation holds of a listing. */
export interface HeldListing {
  id: string;
  /** Absent if the listing has no state. */
  state?: {
    /** Null if no event of the listing was ever accepted. */
    highest: Version | null;
    /** Null if the state yields an item. */
    hidden: HiddenReason | null;
  };
  /** The fingerprints of the item's members, in the order of `VIEWED`. Absent if the listing has no item. */
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
