import { useEffect, useState } from 'preact/hooks';
import { readApi } from '../api.ts';
import type { History } from '../api-types.ts';

export const RANGES = ['5m', '1h', '24h'] as const;

/** As often as a range can have a new point. */
const READ_EVERY_MS: Record<History['range'], number> = { '5m': 2_000, '1h': 15_000, '24h': 60_000 };

/** Reads the series of the charts again and again while the page is visible. */
export function useHistory(range: History['range']): History | undefined {
  const [history, setHistory] = useState<History>();
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const read = async (isFirst = false) => {
      if (isFirst || !document.hidden)
        // A console that does not respond is reported above the charts.
        await readApi<History>('history', { range }, leaving.signal).then(setHistory, () => undefined);
      if (!leaving.signal.aborted) timer = setTimeout(() => void read(), READ_EVERY_MS[range]);
    };
    void read(true);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [range]);
  return history?.range === range ? history : undefined;
}
