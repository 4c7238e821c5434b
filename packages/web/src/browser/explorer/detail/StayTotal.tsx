import { datesText } from '../filters/active-filters.ts';
import { useWords } from '../use-words.ts';
import { freeNights, type Stay, totalOf } from './prices.ts';
import type { Listing } from './read-listing.ts';

/**
 * A stay's total, and each night's price if this price is not the listing's price. A flexible stay also shows
 * its dates, because the visitor has not chosen them.
 */
export function StayTotal({ listing: { calendar, item }, stay }: { listing: Listing; stay: Stay }) {
  const { texts, language, plural, money } = useWords();
  const nights = freeNights(calendar, stay);
  if (nights === undefined) return <>{stay.isFlexible ? texts.noFreeStay : texts.notFree}</>;
  const prices = [...new Set(nights.map(({ price }) => price))];
  const parts = prices.map(
    (price) => `${nights.filter((night) => night.price === price).length} × ${money(price)}`,
  );
  return (
    <>
      <strong class="number">{money(totalOf(nights))}</strong>{' '}
      <span class="soft small">
        {plural(nights.length, texts.forNights)}
        {stay.isFlexible && `, ${datesText(nights[0]?.date ?? '', nights.at(-1)?.date, language)}`}
        {prices.some((price) => price !== item.price) && `. ${texts.ownPrices}: ${parts.join(' + ')}`}
      </span>
    </>
  );
}
