import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { withDeadline } from '../components/deadline.ts';
import { readApi } from './api.ts';
import type { ConsoleState } from './api-types.ts';
import { usePoll } from './use-poll.ts';

export interface WatchedConsole {
  state?: ConsoleState;
  /** Whether the console process itself is not responding. */
  isGone: boolean;
  /** Polls at once, for example after an action. */
  refresh(): void;
}

const POLL_EVERY_MS = 2_000;
/** The console answers from its memory. Rule: docs/operate/console.md#what-it-shows. */
const DEADLINE_MS = 10_000;

/** Polls the console while the page is visible. */
export function useConsole(): WatchedConsole {
  const [state, setState] = useState<ConsoleState>();
  const [isGone, setGone] = useState(false);
  const [turn, setTurn] = useState(0);
  const read = (signal: AbortSignal) =>
    readApi<ConsoleState>('console', {}, withDeadline(signal, DEADLINE_MS)).then(
      (read) => {
        setState(read);
        setGone(false);
      },
      () => !signal.aborted && setGone(true),
    );
  usePoll(read, POLL_EVERY_MS, turn);
  return { ...(state && { state }), isGone, refresh: () => setTurn((now) => now + 1) };
}

const Shown = createContext<{ state: ConsoleState; refresh(): void } | undefined>(undefined);

/** Gives the console's state to the components inside. */
export const ShownConsole = Shown.Provider;

/** The state of the console, and a function that polls it at once. */
export function useShown() {
  const shown = useContext(Shown);
  if (!shown) throw new Error('This component must be inside ShownConsole.');
  return shown;
}

/** Whether this console is running a command. The console runs one command at a time. */
export const isBusy = ({ jobs }: Pick<ConsoleState, 'jobs'>): boolean =>
  jobs.some(({ endedAt }) => endedAt === undefined);
