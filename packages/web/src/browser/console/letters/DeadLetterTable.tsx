import type { DeadLetterSummary, RetryResult } from '../api-types.ts';
import { Loaded } from '../Frame.tsx';
import { Original } from '../Original.tsx';
import { hashOf } from '../route.ts';
import { Table } from '../Table.tsx';
import { useRead } from '../use-read.ts';
import { useWords } from '../use-words.ts';
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
  const { texts, count, dateTime, letterReason } = useWords();
  return (
    <Table
      label={texts.deadLetters}
      class="letters"
      columns={[texts.place, texts.time, texts.reason, texts.key, texts.detail, texts.bytes]}
      numbers={5}
    >
      {letters.map((letter) => {
        const { ref, time, reason, key, detail, bytes, retryOf } = letter;
        const refusal = refusals.get(ref);
        return (
          <tr key={ref} class={refusal || retryOf !== undefined ? 'refused' : ''}>
            <td class="number">
              <a href={hashOf({ view: 'dead-letters', subject: ref })}>{ref}</a>
            </td>
            <td class="number nowrap">{dateTime(time)}</td>
            <td>
              <span class="chip bad">{letterReason(reason)}</span>
              <Standing letter={letter} refusal={refusal} />
            </td>
            <td class="key">
              {key === null ? '–' : <a href={hashOf({ view: 'explain', subject: key })}>{key}</a>}
            </td>
            <td class="value">
              <Original text={detail} />
            </td>
            <td class="number right">{count(bytes)}</td>
          </tr>
        );
      })}
    </Table>
  );
}

/** What a retry would do. It sends nothing. */
export function DryRun({ query }: { query: Record<string, string> }) {
  const { texts } = useWords();
  return (
    <Loaded read={useRead<RetryResult>('dead-letters/retry', query)} rows={2}>
      {({ sent, alreadyRetried, notRetryableTotal, stillRefusedTotal, stillRefused }) => (
        <section class="notice stack" aria-label={texts.dryRunResult} role="status">
          <p>
            <strong>{texts.wouldSend(sent)}</strong> {alreadyRetried > 0 && texts.alreadySent(alreadyRetried)}{' '}
            {notRetryableTotal > 0 && texts.notRetryable(notRetryableTotal)}
          </p>
          {stillRefusedTotal > 0 && (
            <details>
              <summary>{texts.stillRefused(stillRefusedTotal)}</summary>
              <DeadLetterTable letters={stillRefused} />
            </details>
          )}
        </section>
      )}
    </Loaded>
  );
}
