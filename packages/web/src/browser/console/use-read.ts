import { useEffect, useState } from 'preact/hooks';
import { ApiError, readApi } from './api.ts';

/** The message from the command line or the browser, and the kind of a command-line error. */
export interface ReadError {
  message: string;
  kind?: string | undefined;
}

export interface Read<T> {
  value?: T;
  error?: ReadError;
  isLoading: boolean;
  again(): void;
}

export const readError = (error: unknown): ReadError => ({
  message: error instanceof Error ? error.message : String(error),
  kind: error instanceof ApiError ? error.kind : undefined,
});

/** The kinds of errors that a retry cannot resolve. */
const FINAL: readonly (string | undefined)[] = ['usage', 'refused'];
const RETRY_MS = 5_000;
const EMPTY = { value: undefined, error: undefined };

/**
 * Reads a resource whenever its parameters change. The last value stays until the next one arrives. If an engine or
 * the console does not respond, the hook tries again every 5 s.
 * @param query if undefined, nothing is read
 * @param version a new value starts another read, during which the last result stays
 */
export function useRead<T>(
  path: string,
  query: Record<string, string | undefined> | undefined,
  version?: unknown,
): Read<T> {
  const [result, setResult] = useState<{ key: string; value?: T; error?: ReadError }>();
  const [turn, setTurn] = useState(0);
  const [isLoading, setLoading] = useState(false);
  const again = () => setTurn((now) => now + 1);
  const key = query && JSON.stringify([path, query]);
  useEffect(() => {
    if (key === undefined || query === undefined) return setLoading(false);
    const leaving = new AbortController();
    let retry: ReturnType<typeof setTimeout>;
    const show = (change: { value: T } | { error: ReadError }) => {
      if (leaving.signal.aborted) return;
      setLoading(false);
      setResult((last) => ({ ...('error' in change && last?.key === key && last), key, ...change }));
    };
    setLoading(true);
    readApi<T>(path, query, leaving.signal).then(
      (value) => show({ value }),
      (failure: unknown) => {
        const error = readError(failure);
        show({ error });
        if (!leaving.signal.aborted && !FINAL.includes(error.kind)) retry = setTimeout(again, RETRY_MS);
      },
    );
    return () => {
      leaving.abort();
      clearTimeout(retry);
    };
  }, [key, turn, version]);
  const { value, error } = result !== undefined && result.key === key ? result : EMPTY;
  return { ...(value !== undefined && { value }), ...(error && { error }), isLoading, again };
}
