import type { Facet } from '@vitrine/feed-index/filters';
import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';
import { addDays, daysBetween } from '../components/calendar-dates.ts';
import { PublicHeader } from '../components/PublicHeader.tsx';
import { useTexts } from '../components/preferences.ts';
import { type Addresses, requestUrl } from './feed-page.ts';
import { AdTypeTabs } from './filters/AdTypeTabs.tsx';
import { Filters } from './filters/Filters.tsx';
import { readCalendar, readEmptyReason, readFacet } from './mcp-tools.ts';
import { NeighborDates } from './NeighborDates.tsx';
import { RequestPanel } from './RequestPanel.tsx';
import { Results } from './Results.tsx';
import { requestForms } from './request-forms.ts';
import { queryOf, type SearchState, type StateChange, stateOf, withFilters } from './search-state.ts';
import { TEXTS } from './texts.ts';
import { useNames } from './use-names.ts';
import { usePage } from './use-page.ts';

/** The whole page: filters, results, and the request behind them. */
export function Explorer({ addresses }: { addresses: Addresses }) {
  const texts = useTexts(TEXTS);
  const [state, setState] = useSearchState();
  useNames(addresses, state.city);
  const url = requestUrl(state, addresses);
  const result = usePage(url);
  const { answer, isLoading } = result;
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
  const neighbors = answer?.kind === 'page' ? answer.page.meta.availability : undefined;
  return (
    <>
      <a class="skip" href="#results">
        {texts.skip}
      </a>
      <PublicHeader current="explorer" feeds={addresses.feeds}>
        <CopyButton text={location.href} label={texts.share} />
      </PublicHeader>
      <main class="explorer" aria-busy={isLoading}>
        <h1 class="hidden-text">{texts.explorer}</h1>
        <Filters state={state} suggest={suggest} onChange={filter} />
        <div class="stack" id="results" tabIndex={-1} role="tabpanel" aria-label={texts.results}>
          <AdTypeTabs state={state} suggest={suggest} onChange={(ad_type) => filter({ ad_type })} />
          {state.date !== undefined && neighbors !== undefined && neighbors.length > 0 && (
            <NeighborDates dates={neighbors} date={state.date} dateTo={state.date_to} onMove={moveDate} />
          )}
          <Results
            result={result}
            state={state}
            readReason={(asked, signal) => readEmptyReason(addresses, asked, signal)}
            readDates={(id, first, last) =>
              readCalendar(addresses, id, first, last, AbortSignal.timeout(10_000))
            }
            onFilter={filter}
            onMove={move}
          />
        </div>
        <RequestPanel forms={requestForms(state, url)} mcp={addresses.mcp} answer={answer} />
      </main>
    </>
  );
}

/** Keeps the state in the page's URL, so that the back button, a reload and a shared link restore it. */
function useSearchState(): [SearchState, (next: SearchState) => void] {
  const [state, setState] = useState(() => stateOf(location.search));
  useEffect(() => {
    const restore = () => setState(stateOf(location.search));
    addEventListener('popstate', restore);
    return () => removeEventListener('popstate', restore);
  }, []);
  const change = (next: SearchState) => {
    history.pushState(undefined, '', `${location.pathname}${queryOf(next)}`);
    setState(next);
  };
  return [state, change];
}
