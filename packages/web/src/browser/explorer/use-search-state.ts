import { useEffect, useState } from 'preact/hooks';
import { queryOf, type SearchState, stateOf } from './search-state.ts';

/** Keeps the state in the page's URL, so that the back button, a reload and a shared link restore it. */
export function useSearchState(): [SearchState, (next: SearchState) => void] {
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
