import { Button } from '../../components/Button.tsx';
import { Comparison } from '../compare/Comparison.tsx';
import type { FeedItem } from '../feed-page.ts';
import type { SearchState } from '../search-state.ts';
import type { PageQuery } from '../use-query.ts';
import { useWords } from '../use-words.ts';
import { ListingDrawer } from './ListingDrawer.tsx';
import { selectionOf, withSelection } from './selection.ts';

export interface OverlaysProps {
  state: SearchState;
  page: PageQuery;
  /** The listings in the results. */
  items: readonly FeedItem[];
  /** Returns the distance from the requested place in kilometers, if it is known. */
  distanceOf(id: string): number | undefined;
  chosen: readonly string[];
  onChoose(ids: readonly string[]): void;
  onToggle(id: string): void;
}

/** The overlays above the results: the chosen listings, their comparison, and the detail of one listing. */
export function Overlays({ state, page, items, distanceOf, chosen, onChoose, onToggle }: OverlaysProps) {
  const { texts, plural } = useWords();
  const selection = selectionOf(page.query);
  const { listing, ...withoutListing } = selection;
  const { compare } = selection;
  const queryWith = (change: Partial<typeof selection>) =>
    withSelection(page.query, { ...selection, ...change });
  const closeComparison = () => page.leave(queryWith({ compare: [] }));
  const remove = (id: string) => {
    const rest = compare.filter((other) => other !== id);
    onChoose(rest);
    if (rest.length > 0) page.replace(queryWith({ compare: rest }));
    else closeComparison();
  };
  const isAlone = chosen.length < 2;
  return (
    <>
      {chosen.length > 0 && compare.length === 0 && (
        <section class="tray row" aria-label={texts.comparison}>
          <Button kind="primary" disabled={isAlone} onClick={() => page.go(queryWith({ compare: chosen }))}>
            {isAlone ? texts.chooseMore : plural(chosen.length, texts.compareChosen)}
          </Button>
          <Button onClick={() => onChoose([])}>{texts.clearChoice}</Button>
        </section>
      )}
      {compare.length > 0 && (
        <Comparison
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
          id={listing}
          known={items.find(({ id }) => id === listing)}
          state={state}
          distance={distanceOf(listing)}
          isCompared={chosen.includes(listing)}
          onCompare={() => onToggle(listing)}
          onClose={() => page.leave(withSelection(page.query, withoutListing))}
        />
      )}
    </>
  );
}
