import { useEffect, useState } from 'preact/hooks';
import { withDeadline } from '../components/deadline.ts';
import { type Answer, readPage } from './feed-page.ts';
import type { SearchState } from './search-state.ts';

/** The facts that the explorer knows about its current request. */
export interface PageResult {
  /**
   * The latest response. Until the next response arrives, it may belong to the previous request. It is absent
   * while the service cannot be reached.
   */
  answer?: Answer;
  /** The state to which this response belongs. */
  asked?: SearchState;
  isLoading: boolean;
  isUnreachable: boolean;
  retry(): void;
}

const RETRY_MS = 3_000;
/** A slow network needs seconds for a page, and the service limits its own time. */
const DEADLINE_MS = 30_000;

/** Reads a page whenever its URL changes, and again after a failure that may end by itself. */
export function usePage(url: string, state: SearchState): PageResult {
  const [known, setKnown] = useState<{ answer: Answer; asked: SearchState }>();
  /** The request whose response is known. */
  const [answered, setAnswered] = useState<string>();
  const [isUnreachable, setUnreachable] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const retry = () => setAttempt((count) => count + 1);
  const request = `${attempt} ${url}`;
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const retryLater = () => {
      timer = setTimeout(retry, RETRY_MS);
    };
    readPage(url, withDeadline(leaving.signal, DEADLINE_MS)).then(
      (received) => {
        setKnown({ answer: received, asked: state });
        setAnswered(request);
        setUnreachable(false);
        if (received.kind === 'problem' && received.transfer.status >= 500) retryLater();
      },
      () => {
        if (leaving.signal.aborted) return;
        // The latest response belongs to another request.
        setKnown(undefined);
        setAnswered(request);
        setUnreachable(true);
        retryLater();
      },
    );
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [request]);
  return { ...known, isLoading: answered !== request, isUnreachable, retry };
}
