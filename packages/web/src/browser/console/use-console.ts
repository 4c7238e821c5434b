import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { readApi } from './api.ts';
import type { ConsoleState } from './api-types.ts';

export interface WatchedConsole {
  state?: ConsoleState;
  /** The console process itself does not respond. */
  isGone: boolean;
  /** Polls at once, for example after an action. */
  refresh(): void;
}

const POLL_EVERY_MS = 2_000;

/** Polls the console while the page is visible. */
export function useConsole(): WatchedConsole {
  const [state, setState] = useState<ConsoleState>();
  const [isGone, setGone] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const poll = async () => {
      if (document.hidden && turn > 0) return;
      try {
        setState(await readApi<ConsoleState>('console', {}, leaving.signal));
        setGone(false);
      } catch {
        if (!leaving.signal.aborted) setGone(true);
      }
    };
    let timer: ReturnType<typeof setTimeout>;
    void poll().finally(() => {
      if (!leaving.signal.aborted) timer = setTimeout(() => setTurn((now) => now + 1), POLL_EVERY_MS);
    });
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [turn]);
  return { ...(state && { state }), isGone, refresh: () => setTurn((now) => now + 1) };
}

const Shown = createContext<{ state: ConsoleState; refresh(): void } | undefined>(undefined);

/** Gives the state of the console to the components inside. */
export const ShownConsole = Shown.Provider;

/** The state of the console, and a function that polls it at once. */
export function useShown() {
  const shown = useContext(Shown);
  if (!shown) throw new Error('This component must be inside ShownConsole.');
  return shown;
}

/** Whether a command of this console runs. The console runs one at a time. */
export const isBusy = ({ jobs }: Pick<ConsoleState, 'jobs'>): boolean =>
  jobs.some(({ endedAt }) => endedAt === undefined);
