import { useEffect, useState } from 'preact/hooks';

const FIRST_PAUSE_MS = 3_000;
const MAX_PAUSE_MS = 60_000;

export interface Retried<T> {
  /** The latest value. It may belong to an earlier key, until the next value arrives. */
  value: T | undefined;
  isCurrent: boolean;
  /** Whether the last attempt has failed. */
  hasFailed: boolean;
}

/**
 * Reads a value whenever its key changes, and again after each failure, with pauses from 3 s to 60 s.
 * @param key nothing is read while the key is undefined
 */
export function useRetried<T>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<T>,
): Retried<T> {
  const [known, setKnown] = useState<{ key: string; value: T }>();
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    if (key === undefined) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = (pause: number): void => {
      read(leaving.signal).then(
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
  }, [key]);
  const isCurrent = known !== undefined && known.key === key;
  return { value: known?.value, isCurrent, hasFailed: !isCurrent && key !== undefined && failed === key };
}
