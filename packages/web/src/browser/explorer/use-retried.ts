import { useEffect, useState } from 'preact/hooks';
import { withDeadline } from '../components/deadline.ts';

const FIRST_PAUSE_MS = 3_000;
const MAX_PAUSE_MS = 60_000;
/** A value may need many requests, and the map takes long on a slow network. */
const DEADLINE_MS = 60_000;

export interface Retried<T> {
  /** The value for this key. It is undefined until the first value for the key arrives. */
  value: T | undefined;
  /** Whether the last attempt has failed. */
  hasFailed: boolean;
}

/**
 * Reads a value whenever its key changes, and again after each failure, with pauses from 3 s to 60 s.
 * @param key nothing is read while the key is undefined
 * @param canRead nothing is read while this is false. The value for the key stays known
 */
export function useRetried<T>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<T>,
  canRead = true,
): Retried<T> {
  const [known, setKnown] = useState<{ key: string; value: T }>();
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    if (key === undefined || !canRead) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = (pause: number): void => {
      read(withDeadline(leaving.signal, DEADLINE_MS)).then(
        (value) => setKnown({ key, value }),
        () => {
          if (leaving.signal.aborted) return;
          setFailed(key);
          timer = setTimeout(() => attempt(Math.min(2 * pause, MAX_PAUSE_MS)), pause);
        },
      );
    };
    attempt(FIRST_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [key, canRead]);
  const isCurrent = known !== undefined && known.key === key;
  return {
    value: isCurrent ? known.value : undefined,
    hasFailed: !isCurrent && key !== undefined && failed === key,
  };
}
