import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ViewHeader } from '../components/ViewHeader.tsx';
import { hasToken, takeToken } from './api.ts';
import type { ConsoleState, DeadLetterList } from './api-types.ts';
import { ExplainView } from './ExplainView.tsx';
import { ScanLine, Skeleton } from './Frame.tsx';
import { HealthLine } from './health/HealthLine.tsx';
import { Listings } from './Listings.tsx';
import { DeadLetters } from './letters/DeadLetters.tsx';
import { Overview } from './Overview.tsx';
import { Rebuild } from './Rebuild.tsx';
import { ReconciliationView } from './Reconciliation.tsx';
import { hashOf, type Route, routeOf, VIEWS } from './route.ts';
import { ShownConsole, useConsole, useShown } from './use-console.ts';
import { type Read, useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

/** The console: the header, the current problems, and one view. */
export function App() {
  const { texts } = useWords();
  const route = useRoute();
  const { state, isGone, refresh } = useConsole();
  const records = state?.status?.deadLetters.records;
  const [counted, setCounted] = useState<number>();
  const deadLetters = useRead<DeadLetterList>(
    'dead-letters',
    counted === undefined ? undefined : { limit: '1' },
    counted,
  );
  // The page counts the dead letters again when the topic has grown, but lets each count finish.
  useEffect(() => {
    if (!deadLetters.isLoading) setCounted(records);
  }, [records, deadLetters.isLoading]);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${texts.views[route.view]}${route.subject ? ` ${route.subject}` : ''} – Vitrine ${texts.title}`;
  }, [route, texts]);
  return (
    <>
      {/* This is not a link, because the fragment holds the route. */}
      <button type="button" class="skip button" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <ViewHeader
        links={VIEWS.map((view) => ({
          label: texts.views[view],
          href: hashOf({ view }),
          isCurrent: view === route.view,
        }))}
      >
        <Mode allowActions={state?.allowActions} />
      </ViewHeader>
      <main class="console" id="main" tabIndex={-1} ref={main}>
        <h1 class="hidden-text">{texts.views[route.view]}</h1>
        <Trouble state={state} isGone={isGone} deadLetters={deadLetters.value?.total} />
        {state?.scan && <ScanLine scan={state.scan} />}
        {state ? (
          <ShownConsole value={{ state, refresh }}>
            <View route={route} deadLetters={deadLetters} />
          </ShownConsole>
        ) : (
          !isGone && <Skeleton rows={6} />
        )}
      </main>
    </>
  );
}

function View({ route, deadLetters }: { route: Route; deadLetters: Read<DeadLetterList> }) {
  const { status } = useShown().state;
  switch (route.view) {
    case 'overview':
      return <Overview route={route} deadLetters={deadLetters} />;
    case 'rebuild':
      return <Rebuild route={route} />;
    case 'listings':
      return <Listings route={route} reasons={status?.reasons} />;
    case 'explain':
      return <ExplainView route={route} />;
    case 'dead-letters':
      return <DeadLetters route={route} />;
    case 'reconciliation':
      return <ReconciliationView reconciliation={status?.reconciliation} />;
  }
}

/**
 * @param allowActions undefined while the console is connecting. The bar would move if the mode appeared
 * later.
 */
function Mode({ allowActions }: { allowActions: boolean | undefined }) {
  const { texts } = useWords();
  const tone = allowActions === undefined ? 'waiting-mode' : allowActions ? 'warn' : '';
  return (
    <span class={`chip ${tone}`} title={allowActions === false ? texts.readsOnlyTitle : undefined}>
      {allowActions === false ? texts.readsOnly : texts.actionsAllowed}
    </span>
  );
}

interface TroubleProps {
  state: ConsoleState | undefined;
  isGone: boolean;
  deadLetters: number | undefined;
}

/** Shows whether the feed is healthy, and what this page cannot do. */
function Trouble({ state, isGone, deadLetters }: TroubleProps) {
  const { texts } = useWords();
  return (
    <div class="stack troubles">
      {isGone && (
        <p class="notice bad" role="alert">
          {texts.gone}
        </p>
      )}
      {state && !isGone && <HealthLine state={state} deadLetters={deadLetters ?? 0} />}
      {state?.allowActions && !hasToken() && <p class="notice warn">{texts.noToken}</p>}
    </div>
  );
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  // An effect that runs after the first frame would miss a link that is followed before this frame.
  useLayoutEffect(() => {
    const change = () => {
      // Someone may paste the printed URL into a tab that is already open.
      takeToken();
      setRoute(routeOf(location.hash));
    };
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}
