import { useEffect } from 'preact/hooks';

/**
 * Reads at once, and then repeatedly while the page is visible.
 * @param read must settle, even after the signal aborts it
 * @param key a new value restarts the reads
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
