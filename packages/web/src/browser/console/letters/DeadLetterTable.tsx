import type { DeadLetterSummary, RetryResult } from '../api-types.ts';
import { Loaded } from '../Frame.tsx';
import { Original } from '../Original.tsx';
import { hashOf } from '../route.ts';
import { Table } from '../Table.tsx';
import { useRead } from '../use-read.ts';
import { useWords } from '../use-words.ts';
import { type Refusals, Standing } from './Standing.tsx';

interface DeadLetterTableProps {
  letters: readonly DeadLetterSummary[];
  refusals?: Refusals;
}

/**
 * Dead letters, each with a link to its bytes and to its listing. A row whose record was refused again is
 * red.
 */
export function DeadLetterTable({ letters, refusals }: DeadLetterTableProps) {
  const { texts, count, dateTime, letterReason } = useWords();
  return (
    <Table
      label={texts.deadLetters}
      class="letters"
      rows={letters}
      keyOf={({ ref }) => ref}
      kindOf={({ ref, retryOf }) => (refusals?.has(ref) || retryOf !== undefined ? 'refused' : '')}
      columns={[
        [
          texts.place,
          ({ ref }) => <a href={hashOf({ view: 'dead-letters', subject: ref })}>{ref}</a>,
          'number',
        ],
        [texts.time, ({ time }) => dateTime(time), 'number nowrap'],
        [
          texts.reason,
          (letter) => (
            <>
              <span class="chip bad">{letterReason(letter.reason)}</span>
              <Standing letter={letter} refusal={refusals?.get(letter.ref)} />
            </>
          ),
        ],
        [texts.key, ({ key }) => <ListingLink id={key} />, 'key'],
        [texts.detail, ({ detail }) => <Original text={detail} />, 'value'],
        [texts.bytes, ({ bytes }) => count(bytes), 'number right'],
      ]}
    />
  );
}

/** The key of a record as a link to its listing. A record may have no key. */
export const ListingLink = ({ id }: { id: string | null }) =>
  id === null ? <>–</> : <a href={hashOf({ view: 'explain', subject: id })}>{id}</a>;

/** Shows what a retry would do, but sends nothing. */
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
