import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { RetryResult } from './api-types.ts';
import { DeadLetterTable } from './DeadLetterTable.tsx';
import { Failure, Skeleton } from './Frame.tsx';
import { TEXTS } from './texts.ts';
import { useRead } from './use-read.ts';

/** What a retry would do. It sends nothing. */
export function DryRun({ query }: { query: Record<string, string> }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { value, error, again } = useRead<RetryResult>('dead-letters/retry', query);
  if (error !== undefined) return <Failure message={error} again={again} />;
  if (!value) return <Skeleton rows={2} />;
  const number = (one: number) => count(one, language);
  return (
    <section class="notice stack" aria-label={texts.dryRunResult} role="status">
      <p>
        <strong>{texts.wouldSend(number(value.sent))}</strong>{' '}
        {value.alreadyRetried > 0 && texts.alreadySent(number(value.alreadyRetried))}{' '}
        {value.notRetryableTotal > 0 && texts.notRetryable(number(value.notRetryableTotal))}
      </p>
      {value.stillRefusedTotal > 0 && (
        <details>
          <summary>{texts.stillRefused(number(value.stillRefusedTotal))}</summary>
          <DeadLetterTable letters={value.stillRefused} />
        </details>
      )}
    </section>
  );
}
