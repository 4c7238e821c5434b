import { Button } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Overlay } from '../../components/Overlay.tsx';
import { ADDRESSES } from '../addresses.ts';
import { Code, FactList, Json } from '../answers.tsx';
import type { FeedItem } from '../feed-page.ts';
import { toolCall } from '../request-forms.ts';
import type { SearchState } from '../search-state.ts';
import { useTitle } from '../use-title.ts';
import { useWords } from '../use-words.ts';
import { pageTitle } from '../view-title.ts';
import { MarketplaceLink } from './links.tsx';
import { distanceText, listingFacts } from './listing-facts.ts';
import { MonthCalendar } from './MonthCalendar.tsx';
import { Picture } from './Picture.tsx';
import { priceUnit, requestedStay } from './prices.ts';
import type { Listing } from './read-listing.ts';
import { StayTotal } from './StayTotal.tsx';
import { useListings } from './use-listings.ts';

export interface ListingDrawerProps {
  id: string;
  /** The item, if it is in the results. */
  known: FeedItem | undefined;
  state: SearchState;
  /** The distance from the requested place, in kilometers. */
  distance: number | undefined;
  isCompared: boolean;
  onCompare(): void;
  onClose(): void;
}

/** Everything about one listing. All texts come from third parties, so they never become markup. */
export function ListingDrawer(props: ListingDrawerProps) {
  const { id, known, isCompared, onCompare, onClose } = props;
  const { texts } = useWords();
  const [listing = 'loading'] = useListings([id]);
  const item = typeof listing === 'object' ? listing.item : listing === 'gone' ? undefined : known;
  const title = item?.title ?? (listing === 'gone' ? texts.gone : texts.listing);
  useTitle(pageTitle(title));
  return (
    <Overlay class="drawer" labelledBy="drawer-title" onClose={onClose}>
      {(close) => (
        <>
          <div class="row spread drawer-bar">
            <Button kind="compact" onClick={close}>
              {texts.close}
            </Button>
            {item && (
              <div class="row">
                <Button kind="compact" aria-pressed={isCompared} onClick={onCompare}>
                  {texts.compare}
                </Button>
                <CopyButton text={location.href} label={texts.copyLink} />
              </div>
            )}
          </div>
          <div class="stack drawer-content" aria-busy={listing === 'loading'}>
            <h2 id="drawer-title">{title}</h2>
            {listing === 'loading' && !item && (
              <>
                <p role="status">{texts.loadingListing}</p>
                <div class="picture skeleton" />
              </>
            )}
            {listing === 'gone' && <p role="alert">{texts.goneMore}</p>}
            {listing === 'failed' && (
              <p class="notice bad" role="alert">
                {texts.failed}
              </p>
            )}
            {item && (
              <Content {...props} item={item} listing={typeof listing === 'object' ? listing : undefined} />
            )}
          </div>
        </>
      )}
    </Overlay>
  );
}

interface ContentProps extends ListingDrawerProps {
  item: Omit<FeedItem, 'availability'>;
  /** The member is undefined while the listing is loading. */
  listing: Listing | undefined;
}

function Content({ id, item, listing, state, distance }: ContentProps) {
  const { texts, language, money } = useWords();
  const { images = [], title, description, price } = item;
  const stay = requestedStay(state);
  const calendar = listing?.calendar ?? [];
  const unit = texts[priceUnit(listing?.adType ?? state.ad_type, listing && calendar.length > 0)];
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll the pictures. */}
      <ul class="gallery" tabIndex={0} aria-label={texts.pictures}>
        {(images.length > 0 ? images : [undefined]).map((source, index) => (
          <li key={source}>
            <Picture source={source} title={title} alt={`${texts.picture} ${index + 1}`} />
          </li>
        ))}
      </ul>
      <p class="price">
        <strong class="number">{money(price)}</strong> <span class="soft">{unit}</span>
      </p>
      {stay && listing && (
        <p>
          {texts.stayTotal}: <StayTotal listing={listing} stay={stay} />
        </p>
      )}
      <div>
        <MarketplaceLink class="button primary" item={item} />
      </div>
      <FactList
        facts={listingFacts(language).map(([name, textOf]) => [
          name,
          textOf(item) +
            (name === texts.place && distance !== undefined ? ` · ${distanceText(distance, language)}` : ''),
        ])}
      />
      {description && (
        <section class="stack" aria-labelledby="about">
          <h3 id="about">{texts.about}</h3>
          <p class="description">{description}</p>
        </section>
      )}
      <section class="stack" aria-labelledby="listing-calendar">
        <h3 id="listing-calendar">{texts.calendar}</h3>
        {listing && calendar.length === 0 && <p class="soft">{texts.noCalendar}</p>}
        {calendar.length > 0 && <MonthCalendar calendar={calendar} first={state.date} last={state.date_to} />}
        {!listing && <div class="skeleton month" />}
      </section>
      {listing && (
        <details class="developer-details">
          <summary>{texts.asJson}</summary>
          <div class="stack">
            <div class="row">
              <CopyButton text={JSON.stringify(listing.answer, null, 2)} what="JSON" />
            </div>
            <Json value={listing.answer} open />
            <p class="soft small">
              {texts.call}: <code>POST {ADDRESSES.mcp}</code>
            </p>
            <Code text={JSON.stringify(toolCall('get_listing', { id: [id] }), null, 2)} />
          </div>
        </details>
      )}
    </>
  );
}
