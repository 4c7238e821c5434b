import { useState } from 'preact/hooks';
import { count, money } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { AvailabilityStrip, type AvailabilityStripProps } from './AvailabilityStrip.tsx';
import { categoryName } from './names.ts';
import { TEXTS } from './texts.ts';

export interface ListingCardProps extends AvailabilityStripProps {
  hasCalendar: boolean;
}

/** One listing of the feed. All texts come from third parties, so they are only ever text. */
export function ListingCard({ item, hasDate, hasCalendar, readDates }: ListingCardProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { id, title, price, location, provider, category, sub_category, rating, review_count, url } = item;
  const dates = hasDate ? (item.availability ?? []) : [];
  const total = dates.reduce((sum, day) => sum + Math.round(day.price * 100), 0) / 100;
  return (
    <li class="card listing" data-id={id}>
      <Picture source={item.images?.[0]} initial={[...title][0] ?? ''} />
      <div class="stack facts">
        <h3>{title}</h3>
        <p class="price">
          <strong class="number">{money(dates.length > 0 ? total : price, language)}</strong>{' '}
          {dates.length > 0 && <span class="soft small">{texts.stay(dates.length)}</span>}
        </p>
        <p class="soft small">
          {[location.city, location.state].filter(Boolean).join(', ')}
          {provider && ` · ${provider.name}`}
        </p>
        <p class="row small">
          {[...new Set([category, sub_category])]
            .filter((slug) => slug !== undefined)
            .map((slug) => (
              <span key={slug} class="chip">
                {categoryName(slug)}
              </span>
            ))}
          {rating !== undefined && (
            <span class="soft number">
              ★ {count(rating, language)}
              {review_count !== undefined && ` (${texts.reviews(review_count)})`}
            </span>
          )}
        </p>
        {hasCalendar && <AvailabilityStrip item={item} hasDate={hasDate} readDates={readDates} />}
        {isWebAddress(url) && (
          <a class="listing-link" href={url} rel="noopener noreferrer nofollow" target="_blank">
            {texts.open}
            <span class="hidden-text"> {title}</span>
          </a>
        )}
      </div>
    </li>
  );
}

/** The feed promises a valid URL, but not its scheme. */
const isWebAddress = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '');

/** Without an image, the card shows the first letter of the title. */
function Picture({ source, initial }: { source: string | undefined; initial: string }) {
  const [hasFailed, setFailed] = useState(false);
  if (source === undefined || hasFailed)
    return (
      <div class="picture none" aria-hidden="true">
        {initial}
      </div>
    );
  return (
    <div class="picture">
      <img
        src={source}
        alt=""
        loading="lazy"
        decoding="async"
        referrerpolicy="no-referrer"
        onError={() => setFailed(true)}
      />
    </div>
  );
}
