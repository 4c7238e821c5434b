import { useEffect, useState } from 'preact/hooks';
import { ApiError, readApi } from './api.ts';

/** The message of the command line or of the browser, and the kind of an error of the command line. */
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

/**
 * Reads a resource whenever its parameters change. The last value stays until the next one arrives.
 * @param query undefined reads nothing
 * @param version a new value reads again, and keeps the last result meanwhile
 */
export function useRead<T>(
  path: string,
  query: Record<string, string | undefined> | undefined,
  version?: unknown,
): Read<T> {
  const [result, setResult] = useState<{ key: string; value?: T; error?: ReadError }>();
  const [turn, setTurn] = useState(0);
  const [isLoading, setLoading] = useState(false);
  const key = query && JSON.stringify([path, query]);
  useEffect(() => {
    if (key === undefined || query === undefined) return;
    const leaving = new AbortController();
    setLoading(true);
    readApi<T>(path, query, leaving.signal)
      .then(
        (value) => setResult({ key, value }),
        (error: unknown) => {
          if (!leaving.signal.aborted) setResult({ key, error: readError(error) });
        },
      )
      .finally(() => {
        if (!leaving.signal.aborted) setLoading(false);
      });
    return () => leaving.abort();
  }, [key, turn, version]);
  const current = result?.key === key ? result : undefined;
  return {
    ...(current?.value !== undefined && { value: current.value }),
    ...(current?.error !== undefined && { error: current.error }),
    isLoading,
    again: () => setTurn((now) => now + 1),
  };
}
