import { useEffect, useRef, useState } from 'preact/hooks';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { ViewHeader } from '../components/ViewHeader.tsx';
import { hasToken, takeToken } from './api.ts';
import type { ConsoleState } from './api-types.ts';
import { ExplainView } from './ExplainView.tsx';
import { ScanLine, Skeleton } from './Frame.tsx';
import { clock } from './formats.ts';
import { Listings } from './Listings.tsx';
import { DeadLetters } from './letters/DeadLetters.tsx';
import { Original } from './Original.tsx';
import { Overview } from './Overview.tsx';
import { Rebuild } from './Rebuild.tsx';
import { hashOf, type Route, routeOf, VIEWS } from './route.ts';
import { TEXTS } from './texts.ts';
import { useConsole } from './use-console.ts';

/** The console: the header, what is wrong now, and one view. */
export function App() {
  const texts = useTexts(TEXTS);
  const route = useRoute();
  const { state, isGone, refresh } = useConsole();
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${texts.views[route.view]}${route.subject ? ` ${route.subject}` : ''} – Vitrine ${texts.title}`;
  }, [route, texts]);
  return (
    <>
      {/* Not a link, because the fragment holds the route. */}
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
        {state && <Mode state={state} />}
      </ViewHeader>
      <main class="console" id="main" tabIndex={-1} ref={main}>
        <h1 class="hidden-text">{texts.views[route.view]}</h1>
        <Trouble state={state} isGone={isGone} />
        {state?.scan && <ScanLine scan={state.scan} />}
        {state ? <View route={route} state={state} refresh={refresh} /> : !isGone && <Skeleton rows={6} />}
      </main>
    </>
  );
}

function View({ route, state, refresh }: { route: Route; state: ConsoleState; refresh(): void }) {
  switch (route.view) {
    case 'overview':
      return <Overview state={state} />;
    case 'rebuild':
      return <Rebuild state={state} refresh={refresh} />;
    case 'listings':
      return <Listings route={route} reasons={state.status?.reasons} />;
    case 'explain':
      return <ExplainView route={route} state={state} />;
    case 'dead-letters':
      return <DeadLetters route={route} state={state} refresh={refresh} />;
  }
}

function Mode({ state: { allowActions } }: { state: ConsoleState }) {
  const texts = useTexts(TEXTS);
  return allowActions ? (
    <span class="chip warn">{texts.actionsAllowed}</span>
  ) : (
    <span class="chip" title={texts.readsOnlyTitle}>
      {texts.readsOnly}
    </span>
  );
}

/** Says what does not respond. The last values stay on the page. */
function Trouble({ state, isGone }: { state: ConsoleState | undefined; isGone: boolean }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const failing = state?.failing;
  return (
    <div aria-live="polite" class="stack troubles">
      {isGone && <p class="notice bad">{texts.gone}</p>}
      {!isGone && failing && (
        <div class="notice bad">
          <p>
            <strong>{texts.failing(clock(failing.since, language))}</strong>{' '}
            {state?.at !== undefined && texts.lastStatus(clock(state.at, language))}
          </p>
          <Original text={failing.message} meaning={texts.engineFails} />
        </div>
      )}
      {state && !state.status && !failing && <p class="notice">{texts.connecting}</p>}
      {state?.allowActions && !hasToken() && <p class="notice warn">{texts.noToken}</p>}
    </div>
  );
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
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
