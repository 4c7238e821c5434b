import { useEffect, useState } from 'preact/hooks';
import { Button, ButtonText } from '../components/Button.tsx';
import { CopyButton } from '../components/CopyButton.tsx';
import { addDays, daysBetween, todayInBrazil } from '../components/calendar-dates.ts';
import { changePreferences, usePreferences } from '../components/preferences.ts';
import { ViewHeader } from '../components/ViewHeader.tsx';
import { ADDRESSES } from './addresses.ts';
import type { ListingLink } from './detail/links.tsx';
import { Overlays } from './detail/Overlays.tsx';
import { MAX_COMPARED, selectionOf, withSelection } from './detail/selection.ts';
import { type FeedItem, requestUrl } from './feed-page.ts';
import { AdTypeTabs } from './filters/AdTypeTabs.tsx';
import { activeFilters } from './filters/active-filters.ts';
import { FILTERS_ID, Filters } from './filters/Filters.tsx';
import { Summary } from './filters/Summary.tsx';
import { ListingCard } from './ListingCard.tsx';
import { ResultsMap } from './map/ResultsMap.tsx';
import { hasDistances, readDistances } from './mcp-tools.ts';
import { RequestPanel } from './RequestPanel.tsx';
import { requestForms } from './request-forms.ts';
import { NeighborDates } from './results/NeighborDates.tsx';
import { Results } from './results/Results.tsx';
import { queryOf, type SearchState, type StateChange, stateOf, withFilters } from './search-state.ts';
import { useMedia } from './use-media.ts';
import { useNames } from './use-names.ts';
import { usePage } from './use-page.ts';
import { useQuery } from './use-query.ts';
import { useRetried } from './use-retried.ts';
import { useTitle } from './use-title.ts';
import { useWords } from './use-words.ts';
import { viewTitle } from './view-title.ts';

/** The width at which the filters are always visible, as in the style sheet. */
const WIDE = '(min-width: 801px)';

/** The icon for a link: two links of a chain. */
const LINK = (
  <svg viewBox="0 0 24 24" width="18" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
    <path d="M10 13a5 5 0 0 0 7 .5l3-3a5 5 0 0 0-7-7L11.5 5M14 11a5 5 0 0 0-7-.5l-3 3a5 5 0 0 0 7 7L12.5 19" />
  </svg>
);

export interface ExplorerProps {
  /** The list of the first results, if the service has rendered it. */
  first: HTMLElement | undefined;
}

/** The whole page: filters, results, and the request behind them. */
export function Explorer({ first }: ExplorerProps) {
  const { texts, language, number } = useWords();
  const { isDeveloper, hasMap } = usePreferences();
  const location = useQuery();
  const state = stateOf(location.query);
  const selection = selectionOf(location.query);
  const setState = (next: SearchState) => location.go(queryOf(next));
  // The listings of a comparison in the URL are also chosen.
  const [chosen, setChosen] = useState(selection.compare);
  useEffect(() => {
    if (selection.compare.length > 0) setChosen(selection.compare);
  }, [selection.compare.join()]);
  const [areFiltersOpen, setFiltersOpen] = useState(false);
  const isWide = useMedia(WIDE);
  const active = activeFilters(state, language);
  useTitle(
    selection.listing === undefined ? viewTitle(state, language, selection.compare.length) : undefined,
  );
  useNames(state.city);
  const url = requestUrl(state);
  const result = usePage(url, state);
  // Old cards stay until the response arrives. They show the dates of their own request.
  const { answer, asked = state, isLoading } = result;
  const { data = [], meta } = answer?.kind === 'page' ? answer.page : {};
  // The cards are complete without distances.
  const { value: distances } = useRetried(hasDistances(state) ? url : undefined, (signal) =>
    readDistances(state, signal),
  );
  const distanceOf = (id: string) => distances?.get(id);
  const filter = (change: StateChange) => setState(withFilters(state, change));
  const move = (position: { page?: number; cursor?: string }) => {
    const { page: _, cursor: _cursor, ...filters } = state;
    setState({ ...filters, ...(position.page !== 1 && position) });
    const results = document.getElementById('results');
    // A button of the old position may disappear.
    results?.focus({ preventScroll: true });
    results?.scrollIntoView();
  };
  const moveDate = (date: string) => {
    const { date: first, date_to: last } = state;
    filter({ date, date_to: first && last ? addDays(date, daysBetween(first, last)) : undefined });
  };
  const toggle = (id: string) =>
    setChosen((ids) =>
      ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id].slice(-MAX_COMPARED),
    );
  const hrefOf = (id: string) => withSelection(location.query, { ...selection, listing: id });
  const link: ListingLink = { state: asked, hrefOf, onOpen: (id) => location.go(hrefOf(id)) };
  const renderCard = (item: FeedItem) => (
    <ListingCard
      // A card forgets its loaded dates when the request changes.
      key={`${item.id} ${asked.date} ${asked.date_to}`}
      item={item}
      link={link}
      distance={distanceOf(item.id)}
      isCompared={chosen.includes(item.id)}
      canCompare={chosen.length < MAX_COMPARED}
      onCompare={() => toggle(item.id)}
    />
  );
  const total = meta?.total;
  // A failure stays visible while the page tries again.
  const isWaiting = isLoading && !result.isUnreachable;
  const { feeds } = ADDRESSES;
  const { date } = state;
  const hasNeighbors =
    date !== undefined && state.feed === 'ai-feed' && date >= todayInBrazil() && (meta || isWaiting);
  return (
    <>
      <a class="skip" href="#results">
        {texts.skip}
      </a>
      <ViewHeader
        links={[
          { label: texts.explorer, href: feeds, isCurrent: true },
          { label: texts.documentation, href: `${feeds}docs${language === 'en' ? '' : `/${language}`}` },
        ]}
      >
        <CopyButton text={document.location.href} label={texts.copyLink} icon={LINK} />
        <Button
          kind="compact"
          aria-pressed={isDeveloper}
          onClick={() => changePreferences({ isDeveloper: !isDeveloper })}
        >
          <ButtonText text={texts.developers} icon="</>" />
        </Button>
      </ViewHeader>
      <main class={isDeveloper ? 'explorer with-request' : 'explorer'} aria-busy={isLoading}>
        <h1 class="hidden-text">{texts.explorer}</h1>
        {/* A phone renders the filters only when they open, because they are half of the page's elements. */}
        {(isWide || areFiltersOpen) && (
          <Filters
            state={state}
            total={total}
            canCount={total !== undefined && !isLoading}
            isOpen={areFiltersOpen}
            onChange={filter}
            onClose={() => {
              setFiltersOpen(false);
              document.getElementById('total')?.focus();
            }}
          />
        )}
        <div class="content">
          <Summary state={state} total={total} isLoading={isWaiting} filters={active} onChange={filter}>
            <Button
              kind="filters-toggle"
              aria-expanded={areFiltersOpen}
              aria-controls={FILTERS_ID}
              onClick={() => setFiltersOpen(!areFiltersOpen)}
            >
              {texts.filters}
              {active.length > 0 && ` (${number(active.length)})`}
            </Button>
            <Button aria-pressed={hasMap} onClick={() => changePreferences({ hasMap: !hasMap })}>
              {texts.map}
            </Button>
          </Summary>
          {hasMap && <ResultsMap items={data} link={link} />}
          <div class="stack" id="results" tabIndex={-1} role="tabpanel" aria-label={texts.results}>
            <AdTypeTabs
              state={state}
              total={isLoading ? undefined : total}
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
              renderCard={renderCard}
              onFilter={filter}
              onMove={move}
            />
          </div>
        </div>
        {isDeveloper && <RequestPanel forms={requestForms(state, url)} result={result} />}
      </main>
      <Overlays
        state={state}
        page={location}
        items={data}
        distanceOf={distanceOf}
        chosen={chosen}
        onChoose={setChosen}
        onToggle={toggle}
      />
    </>
  );
}
