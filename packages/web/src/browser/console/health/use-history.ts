import { useState } from 'preact/hooks';
import { readApi } from '../api.ts';
import type { History } from '../api-types.ts';
import { usePoll } from '../use-poll.ts';

export const RANGES = ['5m', '1h', '24h'] as const;

/** The page reads a range as often as the range can have a new point. */
const READ_EVERY_MS: Record<History['range'], number> = { '5m': 2_000, '1h': 15_000, '24h': 60_000 };

/** Reads the series of the charts repeatedly while the page is visible. */
export function useHistory(range: History['range']): History | undefined {
  const [history, setHistory] = useState<History>();
  const read = (signal: AbortSignal) =>
    // A console that does not respond is reported above the charts.
    readApi<History>('history', { range }, signal).then(setHistory, () => undefined);
  usePoll(read, READ_EVERY_MS[range], range);
  return history?.range === range ? history : undefined;
}
