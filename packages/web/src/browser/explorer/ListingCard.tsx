import { Button } from '../components/Button.tsx';
import { AvailabilityStrip } from './AvailabilityStrip.tsx';
import { DetailLink, type ListingLink, MarketplaceLink } from './detail/links.tsx';
import { cardFacts, distanceText } from './detail/listing-facts.ts';
import { Picture } from './detail/Picture.tsx';
import type { FeedItem } from './feed-page.ts';
import { useWords } from './use-words.ts';

export interface ListingCardProps {
  item: FeedItem;
  link: ListingLink;
  /** The distance from the requested place, in kilometers. */
  distance: number | undefined;
  isCompared: boolean;
  /** Whether the comparison has room for another listing. */
  canCompare: boolean;
  onCompare(): void;
}

/** One listing in the feed. All texts come from third parties, so they never become markup. */
export function ListingCard({ item, link, distance, isCompared, canCompare, onCompare }: ListingCardProps) {
  const { texts, language } = useWords();
  const { id, title, provider } = item;
  const { date, feed } = link.state;
  const { price, unit, place, categories, rating } = cardFacts(item, link.state, language);
  const isFull = !isCompared && !canCompare;
  return (
    <li class="card listing" data-id={id}>
      <Picture source={item.images?.[0]} title={title} />
      <div class="stack facts">
        <h3>
          <DetailLink class="card-link" item={item} {...link} />
        </h3>
        <p class="price">
          <strong class="number">{price}</strong> <span class="soft small">{unit}</span>
        </p>
        <p class="soft small">
          {place}
          {distance !== undefined && ` · ${distanceText(distance, language)}`}
          {provider && ` · ${provider.name}`}
        </p>
        <p class="row small">
          {categories.map((name) => (
            <span key={name} class="chip">
              {name}
            </span>
          ))}
        </p>
        {rating !== undefined && <p class="soft small number">{rating}</p>}
        {feed === 'ai-feed' && <AvailabilityStrip item={item} hasDate={date !== undefined} />}
        <div class="row spread small above-link">
          <MarketplaceLink class="listing-link" item={item} />
          <Button
            kind="compact"
            aria-pressed={isCompared}
            disabled={isFull}
            title={isFull ? texts.compareFull : undefined}
            onClick={onCompare}
          >
            {texts.compare}
            <span class="hidden-text"> {title}</span>
          </Button>
        </div>
      </div>
    </li>
  );
}
