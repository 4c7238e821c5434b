import type { LastReconciliation, Status } from './api-types.ts';
import { Empty, Facts, Loaded, Panel } from './Frame.tsx';
import { Original } from './Original.tsx';
import { hashOf } from './route.ts';
import { Table } from './Table.tsx';
import { valueText } from './text-difference.ts';
import { useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

type Row = NonNullable<LastReconciliation['rows']>[number];

/** The last comparison of the feed with the marketplace's database: when, counts, rows, and their corrections. */
export function ReconciliationView({ reconciliation }: { reconciliation: Status['reconciliation'] }) {
  const { texts, count } = useWords();
  const at = reconciliation?.at;
  const read = useRead<LastReconciliation>('reconciliation', at === undefined ? undefined : { at });
  const { value } = read;
  const { rows, correctable = 0 } = value ?? {};
  const { missing = 0, extra = 0, different = 0 } = reconciliation ?? {};
  const total = missing + extra + different;
  return (
    <>
      <Reconciliation reconciliation={reconciliation} />
      {total > 0 && (
        <Panel
          title={texts.rowsTitle}
          aside={
            correctable > 0 && (
              <a class="button" href="/api/reconciliation/corrections" download="corrections.json">
                {texts.download}: {count(correctable)}
              </a>
            )
          }
        >
          <p class="small soft">
            {texts.downloadHint} <code>npm run publish-event -- corrections.json</code>
          </p>
          <Loaded read={read} rows={4} />
          {value && !rows && <Empty title={texts.noRows} />}
          {rows && <Rows rows={rows} />}
          {rows && rows.length < total && <p class="small soft">{texts.firstRows(count(rows.length))}</p>}
        </Panel>
      )}
    </>
  );
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const { texts } = useWords();
  return (
    <Table
      label={texts.rowsTitle}
      columns={[texts.id, texts.kind, texts.member, texts.inSource, texts.inFeed]}
    >
      {rows.flatMap((row) => memberRows(row).map((cells, i) => <Line key={i} {...cells} />))}
    </Table>
  );
}

interface Cells {
  row: Row;
  member?: string;
  source?: unknown;
  feed?: unknown;
}

/** One line for each member that differs. */
const memberRows = (row: Row): Cells[] =>
  row.kind === 'different'
    ? Object.entries(row.members).map(([member, values]) => ({ row, member, ...values }))
    : [{ row }];

function Line({ row, member = '', source, feed }: Cells) {
  const { texts } = useWords();
  const why = row.kind === 'missing' ? row.why : undefined;
  const [code, reason = ''] = why?.split(':') ?? [];
  return (
    <tr>
      <th scope="row">
        <a href={hashOf({ view: 'explain', subject: row.id })}>{row.id}</a>
      </th>
      <td class="value">
        {texts[row.kind]}
        {code && `: ${texts[code as 'unseen']}`} {reason && (texts.reasons[reason] ?? reason)}
      </td>
      <td>{member}</td>
      {[source, feed].map((value, i) => (
        <td key={i} class="value">
          {value === undefined || value === null ? '–' : valueText(value)}
        </td>
      ))}
    </tr>
  );
}

/** When the feed was compared with the marketplace's database, and the counts. */
export function Reconciliation({ reconciliation }: { reconciliation: Status['reconciliation'] | undefined }) {
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
  const differences = missing + extra + different;
  const facts: [string, string][] = [
    [texts.reconciledAt, dateTime(at)],
    [texts.dumpedAt, dateTime(as_of)],
    [texts.sourceLines, count(source)],
    [texts.equalLines, count(equal)],
    [texts.missingListings, count(missing)],
    [texts.extraListings, count(extra)],
    [texts.differentListings, count(different)],
    [texts.changedListings, count(changed)],
  ];
  return (
    <Panel
      title={texts.reconciliation}
      aside={
        <a class={`chip ${differences === 0 ? 'good' : 'bad'}`} href={hashOf({ view: 'reconciliation' })}>
          {differences === 0 ? texts.feedEquals : texts.listingsDiffer(count(differences))}
        </a>
      }
    >
      {failed && (
        <div class="notice warn small">
          <p>{texts.reconcileFailed(dateTime(failed.at))}</p>
          <Original text={failed.error} meaning={texts.errorKinds['failed']} />
        </div>
      )}
      <Facts facts={facts} />
    </Panel>
  );
}
