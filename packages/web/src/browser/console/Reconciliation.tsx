import type { LastReconciliation, Status } from './api-types.ts';
import { Empty, Facts, Loaded, Panel } from './Frame.tsx';
import { Original } from './Original.tsx';
import { hashOf } from './route.ts';
import { type Column, Table } from './Table.tsx';
import { valueText } from './text-difference.ts';
import { useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

type Row = NonNullable<LastReconciliation['rows']>[number];
interface Recorded {
  reconciliation: Status['reconciliation'];
}

const differencesOf = ({ missing, extra, different }: NonNullable<Recorded['reconciliation']>): number =>
  missing + extra + different;

/**
 * The last comparison of the feed with the marketplace's database: its time, counts and rows, and the
 * corrections.
 */
export function ReconciliationView({ reconciliation }: Recorded) {
  const { texts, count } = useWords();
  const total = reconciliation ? differencesOf(reconciliation) : 0;
  const read = useRead<LastReconciliation>(
    'reconciliation',
    total > 0 ? { at: reconciliation?.at } : undefined,
  );
  const { correctable = 0, refusal } = read.value ?? {};
  const download = correctable > 0 && (
    <a class="button" href="/api/reconciliation/corrections" download="corrections.json">
      {`${texts.download}: ${count(correctable)}`}
    </a>
  );
  return (
    <>
      <Reconciliation reconciliation={reconciliation} />
      {total > 0 && (
        <Panel title={texts.rowsTitle} aside={download}>
          {refusal === undefined ? (
            <p class="small soft">
              {texts.downloadHint} <code>npm run publish-event -- corrections.json</code>
            </p>
          ) : (
            <Original text={refusal} meaning={texts.withheld} />
          )}
          <Loaded read={read} rows={4}>
            {({ rows }) => (rows ? <Rows rows={rows} total={total} /> : <Empty title={texts.noRows} />)}
          </Loaded>
        </Panel>
      )}
    </>
  );
}

interface Line {
  row: Row;
  member?: string;
  source?: unknown;
  feed?: unknown;
}

/** One line for each member that differs. */
const linesOf = (row: Row): Line[] =>
  row.kind === 'different'
    ? Object.entries(row.members).map(([member, values]) => ({ row, member, ...values }))
    : [{ row }];

function Rows({ rows, total }: { rows: readonly Row[]; total: number }) {
  const { texts, count } = useWords();
  const lines = rows.flatMap(linesOf);
  const textOf = (value: unknown) => (value === undefined || value === null ? '–' : valueText(value));
  const hasMembers = lines.some(({ member }) => member !== undefined);
  const kindOf = ({ row }: Line) => {
    const [code, reason = ''] = row.kind === 'missing' ? row.why.split(':') : [];
    return `${texts[row.kind]}${code ? `: ${texts[code as 'unseen']} ${texts.reasons[reason] ?? reason}` : ''}`;
  };
  return (
    <>
      <Table
        label={texts.rowsTitle}
        rows={lines}
        keyOf={({ row, member = '' }) => `${row.id} ${member}`}
        columns={[
          [
            texts.id,
            ({ row: { id } }) => <a href={hashOf({ view: 'explain', subject: id })}>{id}</a>,
            'name',
          ],
          [texts.kind, kindOf],
          ...(hasMembers
            ? ([
                [texts.member, ({ member }) => member],
                [texts.inSource, ({ source }) => textOf(source), 'value'],
                [texts.inFeed, ({ feed }) => textOf(feed), 'value'],
              ] satisfies Column<Line>[])
            : []),
        ]}
      />
      {rows.length < total && <p class="small soft">{texts.firstRows(count(rows.length))}</p>}
    </>
  );
}

/** The time and the counts of the last comparison of the feed with the marketplace's database. */
export function Reconciliation({ reconciliation }: Recorded) {
  const { texts, count, dateTime } = useWords();
  if (!reconciliation)
    return (
      <Panel title={texts.reconciliation}>
        <Empty title={texts.neverReconciled}>
          <code>npm run cli -- reconcile --source FILE</code>
        </Empty>
      </Panel>
    );
  const { at, as_of, source, equal, missing, extra, different, changed, failed } = reconciliation;
  const differences = differencesOf(reconciliation);
  const verdict = (
    <a class={`chip ${differences === 0 ? 'good' : 'bad'}`} href={hashOf({ view: 'reconciliation' })}>
      {differences === 0 ? texts.feedEquals : texts.listingsDiffer(count(differences))}
    </a>
  );
  return (
    <Panel title={texts.reconciliation} aside={verdict}>
      {failed && (
        <div class="notice warn small">
          <p>{texts.reconcileFailed(dateTime(failed.at))}</p>
          <Original text={failed.error} meaning={texts.errorKinds['failed']} />
        </div>
      )}
      <Facts
        facts={[
          [texts.reconciledAt, dateTime(at)],
          [texts.dumpedAt, dateTime(as_of)],
          [texts.sourceLines, count(source)],
          [texts.equalLines, count(equal)],
          [texts.missingListings, count(missing)],
          [texts.extraListings, count(extra)],
          [texts.differentListings, count(different)],
          [texts.changedListings, count(changed)],
        ]}
      />
    </Panel>
  );
}
