import { count } from '../../components/format.ts';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import type { DeadLetterSummary, RetryResult } from '../api-types.ts';
import { Failure, ScrollFrame, Skeleton } from '../Frame.tsx';
import { dateTime } from '../formats.ts';
import { Original } from '../Original.tsx';
import { hashOf } from '../route.ts';
import { TEXTS } from '../texts.ts';
import { useRead } from '../use-read.ts';
import { type Refusals, Standing } from './Standing.tsx';

const NONE: Refusals = new Map();

/** Dead letters, each with a link to its bytes and to its listing. A row that was refused again is red. */
export function DeadLetterTable({
  letters,
  refusals = NONE,
}: {
  letters: readonly DeadLetterSummary[];
  refusals?: Refusals;
}) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  return (
    <ScrollFrame label={texts.deadLetters}>
      <table class="letters">
        <thead>
          <tr>
            <th scope="col">{texts.place}</th>
            <th scope="col">{texts.time}</th>
            <th scope="col">{texts.reason}</th>
            <th scope="col">{texts.key}</th>
            <th scope="col">{texts.detail}</th>
            <th scope="col" class="right">
              {texts.bytes}
            </th>
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => {
            const { ref, time, reason, key, detail, bytes, retryOf } = letter;
            const refusal = refusals.get(ref);
            return (
              <tr key={ref} class={refusal || retryOf !== undefined ? 'refused' : ''}>
                <td class="number">
                  <a href={hashOf({ view: 'dead-letters', subject: ref })}>{ref}</a>
                </td>
                <td class="number nowrap">{dateTime(time, language)}</td>
                <td>
                  <span class="chip bad">{texts.letterReasons[reason] ?? reason}</span>
                  <Standing letter={letter} refusal={refusal} />
                </td>
                <td class="key">
                  {key === null ? '–' : <a href={hashOf({ view: 'explain', subject: key })}>{key}</a>}
                </td>
                <td class="value">
                  <Original text={detail} />
                </td>
                <td class="number right">{count(bytes, language)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollFrame>
  );
}

/** What a retry would do. It sends nothing. */
export function DryRun({ query }: { query: Record<string, string> }) {
  const texts = useTexts(TEXTS);
  const { value, error, again } = useRead<RetryResult>('dead-letters/retry', query);
  if (error !== undefined) return <Failure message={error} again={again} />;
  if (!value) return <Skeleton rows={2} />;
  return (
    <section class="notice stack" aria-label={texts.dryRunResult} role="status">
      <p>
        <strong>{texts.wouldSend(value.sent)}</strong>{' '}
        {value.alreadyRetried > 0 && texts.alreadySent(value.alreadyRetried)}{' '}
        {value.notRetryableTotal > 0 && texts.notRetryable(value.notRetryableTotal)}
      </p>
      {value.stillRefusedTotal > 0 && (
        <details>
          <summary>{texts.stillRefused(value.stillRefusedTotal)}</summary>
          <DeadLetterTable letters={value.stillRefused} />
        </details>
      )}
    </section>
  );
}
