import type { DeadLetterSummary, Job, RetryResult } from '../api-types.ts';
import { versionText } from '../formats.ts';
import { hashOf } from '../route.ts';
import { useShown } from '../use-console.ts';
import { useRead } from '../use-read.ts';
import { useWords } from '../use-words.ts';

/** The reasons why this console's last retry refused records again, by the refs of the records. */
export type Refusals = ReadonlyMap<string, Pick<DeadLetterSummary, 'reason' | 'detail'>>;

export function useRefusals(): Refusals {
  const last = useShown().state.jobs.find(
    ({ action, endedAt }) => action === 'retry' && endedAt !== undefined,
  );
  const { value } = useRead<Job>(`jobs/${last?.id}`, last?.isNegative ? {} : undefined);
  const refused = last?.isNegative ? (value?.result as RetryResult | undefined)?.stillRefused : undefined;
  return new Map(refused?.map((letter) => [letter.ref, letter]));
}

/** The number of the last action that has ended. Lists are read again when this number changes. */
export const useLastEnded = (): number | undefined =>
  useShown().state.jobs.find(({ endedAt }) => endedAt !== undefined)?.id;

interface StandingProps {
  letter: DeadLetterSummary;
  refusal: ReturnType<Refusals['get']>;
}

/** Shows what has happened to a dead letter. */
export function Standing({ letter, refusal }: StandingProps) {
  const { texts, dateTime, letterReason } = useWords();
  const { reason, detail, retried, dismissed, corrected, retryOf } = letter;
  const again = <span class="chip bad">{texts.refusedAgain}</span>;
  return (
    <>
      {dismissed && (
        <div>
          <span class="chip">{texts.dismissed}</span>{' '}
          <span class="small value">
            {dismissed.reason} <span class="soft">({dateTime(dismissed.at)})</span>
          </span>
        </div>
      )}
      {corrected !== undefined && (
        <div class="chip good">{texts.corrected(versionText(corrected, texts))}</div>
      )}
      {retried && <div class="chip">{texts.retried}</div>}
      {retryOf !== undefined && (
        <div class="small">
          {again} {texts.refusedAfter}{' '}
          <a href={hashOf({ view: 'dead-letters', subject: retryOf })}>{retryOf}</a>
        </div>
      )}
      {refusal && (
        <div class="small">
          {again}{' '}
          {refusal.reason === reason && refusal.detail === detail ? (
            texts.sameReason
          ) : (
            <>
              {letterReason(refusal.reason)}
              <div class="value" lang="en">
                {refusal.detail}
              </div>
            </>
          )}
        </div>
      )}
    </>
  );
}
