import { useLayoutEffect, useState } from 'preact/hooks';

/** The query string of the page's URL, and the ways to change it. */
export interface PageQuery {
  query: string;
  /** Adds an entry to the browser's history. @param query empty, or with its `?` */
  go(query: string): void;
  /** Changes the current entry of the history. */
  replace(query: string): void;
  /**
   * Leaves the view that the current entry shows. The browser goes back if this page added the entry. A
   * visitor who arrived by a shared link has no such entry, so the page goes to `query`.
   */
  leave(query: string): void;
}

/** Marks the entries that this page added. */
const ADDED = { added: true };

/** Keeps the state in the page's URL, so that the back button, a reload and a shared link restore it. */
export function useQuery(): PageQuery {
  const [query, setQuery] = useState(location.search);
  // An effect that runs after the first frame would miss a change before this frame.
  useLayoutEffect(() => {
    const restore = () => setQuery(location.search);
    addEventListener('popstate', restore);
    return () => removeEventListener('popstate', restore);
  }, []);
  const go = (next: string) => {
    history.pushState(ADDED, '', `${location.pathname}${next}`);
    setQuery(next);
  };
  const replace = (next: string) => {
    history.replaceState(history.state, '', `${location.pathname}${next}`);
    setQuery(next);
  };
  const leave = (next: string) => {
    if ((history.state as Partial<typeof ADDED> | null)?.added) history.back();
    else go(next);
  };
  return { query, go, replace, leave };
}
