import { useEffect, useRef } from 'preact/hooks';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { GLOSSARY } from '../../components/words/glossary.ts';
import { plural } from '../../components/words/words.ts';
import { cardFacts, placeText } from '../detail/listing-facts.ts';
import type { FeedItem } from '../feed-page.ts';
import { placeName } from '../names.ts';
import type { SearchState } from '../search-state.ts';

/** How the map shows and opens a listing. */
export interface ListingLink {
  /** The request whose listings are shown. */
  state: SearchState;
  /** The URL of the page with the detail of a listing. */
  hrefOf(id: string): string;
  onOpen(id: string): void;
}

interface MarkerListingsProps extends ListingLink {
  items: readonly FeedItem[];
  onClose(): void;
}

/** The listings at one place. */
export function MarkerListings({ items, state, hrefOf, onOpen, onClose }: MarkerListingsProps) {
  const glossary = useTexts(GLOSSARY);
  const { language } = usePreferences();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [items]);
  const places = [...new Set(items.map((item) => placeName(placeText(item))))];
  return (
    <div class="marker-listings stack">
      <div class="row spread">
        <h3 ref={heading} tabIndex={-1}>
          {places.join(' · ')}: {plural(language, items.length, glossary.listings)}
        </h3>
        <button type="button" class="button compact quiet" aria-label={glossary.close} onClick={onClose}>
          ×
        </button>
      </div>
      <ul>
        {items.map((item) => {
          const { price, unit } = cardFacts(item, state, language);
          return (
            <li key={item.id} class="row spread">
              <a
                href={hrefOf(item.id)}
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                  event.preventDefault();
                  onOpen(item.id);
                }}
              >
                {item.title}
              </a>
              <span>
                <strong class="number">{price}</strong> <span class="soft small">{unit}</span>
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
