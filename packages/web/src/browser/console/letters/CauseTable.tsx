import type { DeadLetterGroup, ShownDeadLetter } from '../api-types.ts';
import { Panel } from '../Frame.tsx';
import { type Column, Table } from '../Table.tsx';
import { useWords } from '../use-words.ts';
import { LetterActions, type LetterFilters } from './LetterActions.tsx';

interface CauseTableProps {
  causes: readonly DeadLetterGroup[];
  /** The filters with which the dead letters were counted. */
  filters: LetterFilters;
  canAct: boolean;
  href(cause: string): string;
}

/** The causes that dead letters have in common, each with a link to its rows. */
export function CauseTable({ causes, filters, canAct, href }: CauseTableProps) {
  const { texts, count, dateTime, letterReason } = useWords();
  const actions: Column<DeadLetterGroup> = [
    undefined,
    ({ id, count: total, newest }) => (
      <LetterActions filters={{ ...filters, cause: id }} total={total} newest={newest} />
    ),
    'actions',
  ];
  const orSoft = (value: string | undefined, none: string) =>
    value ? <code>{value}</code> : <span class="soft">{none}</span>;
  return (
    <Panel title={texts.byCause}>
      <p class="small soft">{texts.byCauseHint}</p>
      <Table
        label={texts.byCause}
        class="causes"
        rows={causes}
        keyOf={({ id }) => id}
        columns={[
          [texts.letters, ({ id, count: n }) => <a href={href(id)}>{count(n)}</a>, 'number right'],
          [
            texts.reason,
            ({ id, reason }) => (
              <a class="chip bad" href={href(id)}>
                {letterReason(reason)}
              </a>
            ),
          ],
          [texts.path, ({ path }) => orSoft(path, texts.wholeRecord), 'value'],
          [texts.recordSource, ({ source }) => orSoft(source, texts.noSource), 'value'],
          [texts.newest, ({ newest }) => dateTime(newest), 'number nowrap'],
          ...(canAct ? [actions] : []),
        ]}
      />
    </Panel>
  );
}

/** The words for a cause, on one line. Without a dead letter, only the cause's id is known. */
export function CauseName({ cause, id }: { cause: ShownDeadLetter['cause'] | undefined; id: string }) {
  const { letterReason } = useWords();
  if (!cause) return <>{id}</>;
  const { reason, path, source } = cause;
  return <>{[letterReason(reason), path, source].filter(Boolean).join(' · ')}</>;
}
