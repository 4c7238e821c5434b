import type { DeadLetterGroup, ShownDeadLetter } from '../api-types.ts';
import { Panel } from '../Frame.tsx';
import { Table } from '../Table.tsx';
import { useWords } from '../use-words.ts';
import { LetterActions } from './LetterActions.tsx';

/** What dead letters have in common, each with a link to its rows. */
export function CauseTable({
  causes,
  canAct,
  href,
}: {
  causes: readonly DeadLetterGroup[];
  canAct: boolean;
  href(cause: string): string;
}) {
  const { texts, count, dateTime, letterReason } = useWords();
  return (
    <Panel title={texts.byCause}>
      <p class="small soft">{texts.byCauseHint}</p>
      <Table
        label={texts.byCause}
        class="causes"
        columns={[
          texts.letters,
          texts.reason,
          texts.path,
          texts.recordSource,
          texts.newest,
          ...(canAct ? [undefined] : []),
        ]}
        numbers={0}
      >
        {causes.map((cause) => (
          <tr key={cause.id}>
            <td class="number right">
              <a href={href(cause.id)}>{count(cause.count)}</a>
            </td>
            <td>
              <a class="chip bad" href={href(cause.id)}>
                {letterReason(cause.reason)}
              </a>
            </td>
            <td class="value">
              {cause.path === '' ? <span class="soft">{texts.wholeRecord}</span> : <code>{cause.path}</code>}
            </td>
            <td class="value">
              {cause.source === undefined ? (
                <span class="soft">{texts.noSource}</span>
              ) : (
                <code>{cause.source}</code>
              )}
            </td>
            <td class="number nowrap">{dateTime(cause.newest)}</td>
            {canAct && (
              <td class="actions">
                <LetterActions filters={{ cause: cause.id }} total={cause.count} newest={cause.newest} />
              </td>
            )}
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

/** The words of a cause in one line. Without a dead letter, only its id is known. */
export function CauseName({ cause, id }: { cause: ShownDeadLetter['cause'] | undefined; id: string }) {
  const { letterReason } = useWords();
  if (!cause) return <>{id}</>;
  const { reason, path, source } = cause;
  return <>{[letterReason(reason), path, source].filter(Boolean).join(' · ')}</>;
}
