import { useEffect } from 'preact/hooks';

/**
 * Reads at once, and then again and again while the page is visible.
 * @param read must settle, also when the page leaves and the signal aborts
 * @param key another value starts anew
 */
export function usePoll(
  read: (signal: AbortSignal) => Promise<unknown>,
  everyMs: number,
  key?: unknown,
): void {
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const poll = async (isFirst = false) => {
      if (isFirst || !document.hidden) await read(leaving.signal);
      if (!leaving.signal.aborted) timer = setTimeout(() => void poll(), everyMs);
    };
    void poll(true);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [key]);
}
