import type { Facet } from '@vitrine/feed-index/filters';
import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';
import { addDays, daysBetween, todayInBrazil } from '../components/calendar-dates.ts';
import { PublicHeader } from '../components/PublicHeader.tsx';
import { changePreferences, usePreferences, useTexts } from '../components/preferences.ts';
import { Overlays } from './detail/Overlays.tsx';
import { readCalendar } from './detail/read-listing.ts';
import { MAX_COMPARED, selectionOf, withSelection } from './detail/selection.ts';
import { type Addresses, type FeedItem, readOne, requestUrl } from './feed-page.ts';
import { AdTypeTabs } from './filters/AdTypeTabs.tsx';
import { Filters } from './filters/Filters.tsx';
import { Summary } from './filters/Summary.tsx';
import { ListingCard } from './ListingCard.tsx';
import { ResultsMap } from './map/ResultsMap.tsx';
import { MAP_TEXTS } from './map/texts.ts';
import { hasDistances, readDistances, readEmptyReason, readFacet } from './mcp-tools.ts';
import { nameOf } from './names.ts';
import { RequestPanel } from './RequestPanel.tsx';
import { requestForms } from './request-forms.ts';
import { NeighborDates } from './results/NeighborDates.tsx';
import { Results } from './results/Results.tsx';
import { queryOf, type SearchState, type StateChange, stateOf, withFilters } from './search-state.ts';
import { TEXTS } from './texts.ts';
import { useNames } from './use-names.ts';
import { usePage } from './use-page.ts';
import { useQuery } from './use-query.ts';
import { useRetried } from './use-retried.ts';
import { useTitle } from './use-title.ts';
import { viewTitle } from './view-title.ts';

export interface ExplorerProps {
  addresses: Addresses;
  /** The list of the first results, if the service has rendered it. */
  first: HTMLElement | undefined;
}

/** The whole page: filters, results, and the request behind them. */
export function Explorer({ addresses, first }: ExplorerProps) {
  const texts = useTexts(TEXTS);
  const mapTexts = useTexts(MAP_TEXTS);
  const { isDeveloper, hasMap, language } = usePreferences();
  const location = useQuery();
  const state = stateOf(location.query);
  const selection = selectionOf(location.query);
  const setState = (next: SearchState) => location.go(queryOf(next));
  // A comparison in the URL is a choice, too.
  const [chosen, setChosen] = useState(selection.compare);
  useEffect(() => {
    if (selection.compare.length > 0) setChosen(selection.compare);
  }, [selection.compare.join()]);
  useTitle(selection.listing === undefined ? viewTitle(state, language, nameOf) : undefined);
  useNames(addresses, state.city);
  const url = requestUrl(state, addresses);
  const result = usePage(url, state);
  // Old cards stay until the answer arrives. They show what was asked then.
  const { answer, asked = state, isLoading } = result;
  // The cards are complete without distances.
  const { value: distances, isCurrent } = useRetried(hasDistances(state) ? url : undefined, (signal) =>
    readDistances(addresses, state, signal),
  );
  const distanceOf = (id: string) => (isCurrent ? distances?.get(id) : undefined);
  const filter = (change: StateChange) => setState(withFilters(state, change));
  const move = ({ page, cursor }: { page?: number; cursor?: string }) => {
    const { page: _, cursor: _cursor, ...filters } = state;
    setState({
      ...filters,
      ...(cursor !== undefined ? { cursor } : page !== undefined && page > 1 ? { page } : {}),
    });
    document.getElementById('results')?.scrollIntoView();
  };
  const suggest = (facet: Facet, query: string, signal: AbortSignal) =>
    readFacet(addresses, facet, state, query, signal);
  const moveDate = (date: string) => {
    const { date: first, date_to: last } = state;
    filter({ date, date_to: first && last ? addDays(date, daysBetween(first, last)) : undefined });
  };
  const toggle = (id: string) =>
    setChosen((ids) => (ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]));
  const listingQuery = (id: string) => withSelection(location.query, { ...selection, listing: id });
  const renderCard = (item: FeedItem) => (
    <ListingCard
      // A card forgets its loaded dates when the request changes.
      key={`${item.id} ${asked.date} ${asked.date_to}`}
      item={item}
      state={asked}
      readDates={(id, first, last) => readCalendar(addresses, id, first, last, AbortSignal.timeout(10_000))}
      distance={distanceOf(item.id)}
      href={listingQuery(item.id)}
      isCompared={chosen.includes(item.id)}
      canCompare={chosen.length < MAX_COMPARED}
      onOpen={() => location.go(listingQuery(item.id))}
      onCompare={() => toggle(item.id)}
    />
  );
  const meta = answer?.kind === 'page' ? answer.page.meta : undefined;
  const total = meta?.total;
  const { date } = state;
  const hasNeighbors =
    date !== undefined &&
    state.feed === 'ai-feed' &&
    date >= todayInBrazil() &&
    (meta !== undefined || isLoading);
  return (
    <>
      <a class="skip" href="#results">
        {texts.skip}
      </a>
      <PublicHeader feeds={addresses.feeds}>
        <CopyButton text={document.location.href} label={texts.share} />
        <button
          type="button"
          class="button compact"
          aria-pressed={isDeveloper}
          onClick={() => changePreferences({ isDeveloper: !isDeveloper })}
        >
          {texts.developers}
        </button>
      </PublicHeader>
      <main
        class={['explorer', isDeveloper && 'with-request', hasMap && 'with-map'].filter(Boolean).join(' ')}
        aria-busy={isLoading}
      >
        <h1 class="hidden-text">{texts.explorer}</h1>
        <Summary state={state} total={total} isLoading={isLoading} onChange={filter}>
          <button
            type="button"
            class="button"
            aria-pressed={hasMap}
            onClick={() => changePreferences({ hasMap: !hasMap })}
          >
            {mapTexts.map}
          </button>
        </Summary>
        <Filters
          state={state}
          total={total}
          isLoading={isLoading}
          suggest={suggest}
          count={(asked, signal) => readOne(asked, addresses, signal)}
          onChange={filter}
        />
        {hasMap && (
          <ResultsMap
            items={answer?.kind === 'page' ? answer.page.data : []}
            state={asked}
            address={addresses.map}
            hrefOf={listingQuery}
            onOpen={(id) => location.go(listingQuery(id))}
          />
        )}
        <div class="stack" id="results" tabIndex={-1} role="tabpanel" aria-label={texts.results}>
          <AdTypeTabs
            state={state}
            total={isLoading ? undefined : total}
            suggest={suggest}
            onChange={(ad_type) => filter({ ad_type })}
          />
          {hasNeighbors && (
            <div class={isLoading && meta ? 'waiting' : ''}>
              <NeighborDates
                state={{ ...state, date }}
                meta={meta}
                onMove={moveDate}
                onStay={(from, to) => filter({ date: from, date_to: to, nights: undefined })}
              />
            </div>
          )}
          <Results
            result={result}
            first={first}
            state={state}
            readReason={(asked, signal) => readEmptyReason(addresses, asked, signal)}
            renderCard={renderCard}
            onFilter={filter}
            onMove={move}
          />
        </div>
        {isDeveloper && <RequestPanel forms={requestForms(state, url)} mcp={addresses.mcp} result={result} />}
      </main>
      <Overlays
        addresses={addresses}
        state={state}
        page={location}
        items={answer?.kind === 'page' ? answer.page.data : []}
        distanceOf={distanceOf}
        chosen={chosen}
        onChoose={setChosen}
      />
    </>
  );
}
