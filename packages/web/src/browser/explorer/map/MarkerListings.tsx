import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import { DetailLink, type ListingLink } from '../detail/links.tsx';
import { cardFacts, placeText } from '../detail/listing-facts.ts';
import type { FeedItem } from '../feed-page.ts';
import { valueName } from '../names.ts';
import { useWords } from '../use-words.ts';

interface MarkerListingsProps {
  items: readonly FeedItem[];
  link: ListingLink;
  onClose(): void;
}

/** The listings at one place. */
export function MarkerListings({ items, link, onClose }: MarkerListingsProps) {
  const { texts, language, plural } = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [items]);
  const places = [...new Set(items.map((item) => valueName('city', placeText(item))))];
  return (
    <div class="marker-listings stack">
      <div class="row spread">
        <h3 ref={heading} tabIndex={-1}>
          {places.join(' · ')}: {plural(items.length, texts.listings)}
        </h3>
        <Button kind="compact quiet" aria-label={texts.close} onClick={onClose}>
          ×
        </Button>
      </div>
      <ul>
        {items.map((item) => {
          const { price, unit } = cardFacts(item, link.state, language);
          return (
            <li key={item.id} class="row spread">
              <DetailLink item={item} {...link} />
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
