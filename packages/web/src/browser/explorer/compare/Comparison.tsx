import type { ComponentChildren } from 'preact';
import { CopyButton } from '../../components/CopyButton.tsx';
import { daysBetween } from '../../components/calendar-dates.ts';
import { dateText, money } from '../../components/format.ts';
import { Overlay } from '../../components/Overlay.tsx';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { categoryTexts, isWebAddress, placeText, ratingText } from '../detail/listing-facts.ts';
import { Picture } from '../detail/Picture.tsx';
import { priceUnit, stayTotal } from '../detail/prices.ts';
import type { Listing } from '../detail/read-listing.ts';
import { TEXTS } from '../detail/texts.ts';
import { useListings } from '../detail/use-listings.ts';
import type { Addresses } from '../feed-page.ts';
import type { SearchState } from '../search-state.ts';

export interface ComparisonProps {
  addresses: Addresses;
  ids: readonly string[];
  state: SearchState;
  onRemove(id: string): void;
  onOpen(id: string): void;
  onClose(): void;
}

/** Up to three listings side by side. The name of a row is above its values, so that a phone has room for them. */
export function Comparison({ addresses, ids, state, onRemove, onOpen, onClose }: ComparisonProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const listings = useListings(addresses, ids);
  // Rows that appear one after the other would move.
  const isLoading = ids.some((_, index) => (listings[index] ?? 'loading') === 'loading');
  const { date, date_to: last = date } = state;
  const nights = date && last && state.nights === undefined ? daysBetween(date, last) + 1 : 0;
  const total = ({ calendar }: Listing) => {
    const sum = date && last ? stayTotal(calendar, date, last, nights) : undefined;
    return sum === undefined ? texts.notFree : money(sum, language);
  };
  const price = ({ item, adType, calendar }: Listing) => (
    <>
      <strong class="number">{money(item.price, language)}</strong>{' '}
      <span class="soft small">{texts[priceUnit(adType, calendar.length > 0)]}</span>
    </>
  );
  const nextFree = ({ calendar }: Listing) => {
    const day = calendar.find(({ available }) => available);
    return day ? `${dateText(day.date, language)}, ${money(day.price, language)}` : '–';
  };
  const rows: [string, (listing: Listing) => ComponentChildren][] = [
    [texts.price, price],
    ...(nights > 0 ? [[texts.total, total] satisfies [string, (listing: Listing) => ComponentChildren]] : []),
    [texts.nextFree, nextFree],
    [texts.place, ({ item }) => placeText(item)],
    [texts.category, ({ item }) => categoryTexts(item).join(' · ') || '–'],
    [texts.provider, ({ item }) => item.provider?.name ?? '–'],
    [texts.rating, ({ item }) => ratingText(item, language)],
    [texts.view, ({ item }) => <Link url={item.url} title={item.title} label={texts.view} />],
  ];
  return (
    <Overlay class="comparison" labelledBy="comparison-title" onClose={onClose}>
      {(close) => (
        <>
          <div class="row spread drawer-bar">
            <div class="row">
              <button type="button" class="button compact" onClick={close}>
                {texts.close}
              </button>
              <h2 id="comparison-title">{texts.comparison}</h2>
            </div>
            <CopyButton text={location.href} label={texts.copyLink} />
          </div>
          <table class="compared">
            <thead>
              <tr>
                {ids.map((id, index) => (
                  <th key={id} scope="col">
                    <Head listing={listings[index]} onOpen={() => onOpen(id)} onRemove={() => onRemove(id)} />
                  </th>
                ))}
              </tr>
            </thead>
            {(isLoading ? [] : rows).map(([name, show]) => (
              <tbody key={name}>
                <tr>
                  <th colSpan={ids.length} scope="rowgroup">
                    {name}
                  </th>
                </tr>
                <tr>
                  {listings.map((listing, index) => (
                    <td key={ids[index]}>{typeof listing === 'object' ? show(listing) : '–'}</td>
                  ))}
                </tr>
              </tbody>
            ))}
          </table>
        </>
      )}
    </Overlay>
  );
}

interface HeadProps {
  listing: ReturnType<typeof useListings>[number] | undefined;
  onOpen(): void;
  onRemove(): void;
}

/** The head of a column: the listing, or why it is not there. */
function Head({ listing = 'loading', onOpen, onRemove }: HeadProps) {
  const texts = useTexts(TEXTS);
  const title = typeof listing === 'object' ? listing.item.title : texts.listing;
  return (
    <div class="stack">
      {typeof listing === 'object' ? (
        <>
          <Picture source={listing.item.images?.[0]} title={title} />
          <button type="button" class="link compared-title" onClick={onOpen}>
            {title}
          </button>
        </>
      ) : (
        <>
          {listing === 'loading' && <div class="picture skeleton" />}
          <p role={listing === 'loading' ? 'status' : 'alert'}>{texts[listing]}</p>
        </>
      )}
      <button type="button" class="button compact" onClick={onRemove}>
        {texts.remove}
        <span class="hidden-text"> {title}</span>
      </button>
    </div>
  );
}

function Link({ url, title, label }: { url: string | undefined; title: string; label: string }) {
  if (!isWebAddress(url)) return <>–</>;
  return (
    <a href={url} rel="noopener noreferrer nofollow" target="_blank">
      {label}
      <span class="hidden-text"> {title}</span>
    </a>
  );
}
