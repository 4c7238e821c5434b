import { usePreferences, useTexts } from '../components/preferences.ts';
import { AvailabilityStrip, type AvailabilityStripProps } from './AvailabilityStrip.tsx';
import { cardFacts, distanceText, isWebAddress } from './detail/listing-facts.ts';
import { Picture } from './detail/Picture.tsx';
import { TEXTS } from './detail/texts.ts';
import type { SearchState } from './search-state.ts';

export interface ListingCardProps extends Omit<AvailabilityStripProps, 'hasDate'> {
  state: SearchState;
  /** Kilometers from the requested place. */
  distance: number | undefined;
  /** The URL of the page with the detail of this listing. */
  href: string;
  isCompared: boolean;
  /** Whether the comparison has room for another listing. */
  canCompare: boolean;
  onOpen(): void;
  onCompare(): void;
}

/** One listing of the feed. All texts come from third parties, so they are only ever text. */
export function ListingCard(props: ListingCardProps) {
  const { item, state, readDates, distance, href, onOpen } = props;
  const { isCompared, canCompare, onCompare } = props;
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { id, title, provider, url } = item;
  const { price, unit, place, categories, rating } = cardFacts(item, state, language);
  return (
    <li class="card listing" data-id={id}>
      <Picture source={item.images?.[0]} title={title} />
      <div class="stack facts">
        <h3>
          <a
            class="card-link"
            href={href}
            onClick={(event) => {
              // A visitor may open the listing in another tab.
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              onOpen();
            }}
          >
            {title}
          </a>
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
        {state.feed === 'ai-feed' && (
          <AvailabilityStrip item={item} hasDate={state.date !== undefined} readDates={readDates} />
        )}
        <div class="row spread small above-link">
          {isWebAddress(url) && (
            <a class="listing-link" href={url} rel="noopener noreferrer nofollow" target="_blank">
              {texts.view}
              <span class="hidden-text"> {title}</span>
            </a>
          )}
          <button
            type="button"
            class="button compact"
            aria-pressed={isCompared}
            disabled={!isCompared && !canCompare}
            title={isCompared || canCompare ? undefined : texts.compareFull}
            onClick={onCompare}
          >
            {texts.compare}
            <span class="hidden-text"> {title}</span>
          </button>
        </div>
      </div>
    </li>
  );
}
