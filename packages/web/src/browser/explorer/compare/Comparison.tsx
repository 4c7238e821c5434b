import type { ComponentChildren } from 'preact';
import { Button } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Overlay } from '../../components/Overlay.tsx';
import { MarketplaceLink } from '../detail/links.tsx';
import { listingFacts } from '../detail/listing-facts.ts';
import { Picture } from '../detail/Picture.tsx';
import { priceUnit, requestedStay } from '../detail/prices.ts';
import type { Listing } from '../detail/read-listing.ts';
import { StayTotal } from '../detail/StayTotal.tsx';
import { type ListingState, useListings } from '../detail/use-listings.ts';
import type { SearchState } from '../search-state.ts';
import { useWords } from '../use-words.ts';

type Show = (listing: Listing) => ComponentChildren;

export interface ComparisonProps {
  ids: readonly string[];
  state: SearchState;
  onRemove(id: string): void;
  onOpen(id: string): void;
  onClose(): void;
}

/** Up to three listings side by side. Each row's name is above its values, so a phone has room for them. */
export function Comparison({ ids, state, onRemove, onOpen, onClose }: ComparisonProps) {
  const { texts, language, money, dateText } = useWords();
  const listings = useListings(ids);
  // Rows that appear one after the other would move.
  const isLoading = ids.some((_, index) => (listings[index] ?? 'loading') === 'loading');
  const facts = listingFacts(language);
  const stay = requestedStay(state);
  const total: Show = (listing) => stay && <StayTotal listing={listing} stay={stay} />;
  const price = ({ item, adType, calendar }: Listing) => (
    <>
      <strong class="number">{money(item.price)}</strong>{' '}
      <span class="soft small">{texts[priceUnit(adType, calendar.length > 0)]}</span>
    </>
  );
  const nextFree = ({ calendar }: Listing) => {
    const day = calendar.find(({ available }) => available);
    return day ? `${dateText(day.date)}, ${money(day.price)}` : '–';
  };
  const rows: [string, Show][] = [
    [texts.price, price],
    ...(stay ? [[texts.stayTotal, total] as [string, Show]] : []),
    [texts.nextFree, nextFree],
    ...facts.map(([name, textOf]): [string, Show] => [name, ({ item }) => textOf(item) || '–']),
    [texts.view, ({ item }) => <MarketplaceLink item={item} none="–" />],
  ];
  return (
    <Overlay class="comparison" labelledBy="comparison-title" onClose={onClose}>
      {(close) => (
        <>
          <div class="row spread drawer-bar">
            <div class="row">
              <Button kind="compact" onClick={close}>
                {texts.close}
              </Button>
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
  listing: ListingState | undefined;
  onOpen(): void;
  onRemove(): void;
}

/** The header of a column: the listing, or the reason why it is missing. */
function Head({ listing = 'loading', onOpen, onRemove }: HeadProps) {
  const { texts } = useWords();
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
          <p role={listing === 'loading' ? 'status' : 'alert'}>
            {texts[listing === 'loading' ? 'loadingListing' : listing]}
          </p>
        </>
      )}
      <Button kind="compact" onClick={onRemove}>
        {texts.remove}
        <span class="hidden-text"> {title}</span>
      </Button>
    </div>
  );
}
