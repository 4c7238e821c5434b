import { CompareTray } from '../compare/CompareTray.tsx';
import { Comparison } from '../compare/Comparison.tsx';
import type { Addresses, FeedItem } from '../feed-page.ts';
import type { SearchState } from '../search-state.ts';
import type { PageQuery } from '../use-query.ts';
import { ListingDrawer } from './ListingDrawer.tsx';
import { MAX_COMPARED, selectionOf, withSelection } from './selection.ts';

export interface OverlaysProps {
  addresses: Addresses;
  state: SearchState;
  page: PageQuery;
  /** The listings in the results. */
  items: readonly FeedItem[];
  /** Returns kilometers from the requested place, if they are known. */
  distanceOf(id: string): number | undefined;
  /** The ids that are chosen for a comparison. */
  chosen: readonly string[];
  onChoose(ids: readonly string[]): void;
}

/** What lies above the results: the chosen listings, their comparison, and the detail of one listing. */
export function Overlays({ addresses, state, page, items, distanceOf, chosen, onChoose }: OverlaysProps) {
  const selection = selectionOf(page.query);
  const { listing, compare } = selection;
  const queryWith = (change: Partial<typeof selection>) =>
    withSelection(page.query, { ...selection, ...change });
  const { listing: _, ...withoutListing } = selection;
  const closeComparison = () => page.leave(queryWith({ compare: [] }));
  const remove = (id: string) => {
    const rest = compare.filter((other) => other !== id);
    onChoose(rest);
    if (rest.length > 0) page.replace(queryWith({ compare: rest }));
    else closeComparison();
  };
  const toggle = (id: string) =>
    onChoose(
      chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-MAX_COMPARED),
    );
  return (
    <>
      {chosen.length > 0 && compare.length === 0 && (
        <CompareTray
          chosen={chosen.length}
          onCompare={() => page.go(queryWith({ compare: chosen }))}
          onClear={() => onChoose([])}
        />
      )}
      {compare.length > 0 && (
        <Comparison
          addresses={addresses}
          ids={compare}
          state={state}
          onRemove={remove}
          onOpen={(id) => page.go(queryWith({ listing: id }))}
          onClose={closeComparison}
        />
      )}
      {listing !== undefined && (
        <ListingDrawer
          key={listing}
          addresses={addresses}
          id={listing}
          known={items.find(({ id }) => id === listing)}
          state={state}
          distance={distanceOf(listing)}
          isCompared={chosen.includes(listing)}
          onCompare={() => toggle(listing)}
          onClose={() => page.leave(withSelection(page.query, withoutListing))}
        />
      )}
    </>
  );
}
