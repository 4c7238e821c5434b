import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { LastReconciliation, Status } from './api-types.ts';
import { Empty, Failure, Panel, ScrollFrame, Skeleton } from './Frame.tsx';
import { dateTime } from './formats.ts';
import { Original } from './Original.tsx';
import { hashOf } from './route.ts';
import { valueText } from './text-difference.ts';
import { TEXTS } from './texts.ts';
import { useRead } from './use-read.ts';

type Row = NonNullable<LastReconciliation['rows']>[number];

/** The last comparison of the feed with the marketplace's database: when, counts, rows, and their corrections. */
export function ReconciliationView({ reconciliation }: { reconciliation: Status['reconciliation'] }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const at = reconciliation?.at;
  const { value, error, again } = useRead<LastReconciliation>(
    'reconciliation',
    at === undefined ? undefined : { at },
  );
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
                {texts.download}: {count(correctable, language)}
              </a>
            )
          }
        >
          <p class="small soft">
            {texts.downloadHint} <code>npm run publish-event -- corrections.json</code>
          </p>
          {error && <Failure message={error} again={again} />}
          {!value && !error && <Skeleton rows={4} />}
          {value && !rows && <Empty title={texts.noRows} />}
          {rows && <Rows rows={rows} />}
          {rows && rows.length < total && (
            <p class="small soft">{texts.firstRows(count(rows.length, language))}</p>
          )}
        </Panel>
      )}
    </>
  );
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const texts = useTexts(TEXTS);
  return (
    <ScrollFrame label={texts.rowsTitle}>
      <table>
        <thead>
          <tr>
            {[texts.id, texts.kind, texts.member, texts.inSource, texts.inFeed].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{rows.flatMap((row) => memberRows(row).map((cells, i) => <Line key={i} {...cells} />))}</tbody>
      </table>
    </ScrollFrame>
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
  const texts = useTexts(TEXTS);
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
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
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
  const number = (value: number) => count(value, language);
  const facts: [string, string][] = [
    [texts.reconciledAt, dateTime(at, language)],
    [texts.dumpedAt, dateTime(as_of, language)],
    [texts.sourceLines, number(source)],
    [texts.equalLines, number(equal)],
    [texts.missingListings, number(missing)],
    [texts.extraListings, number(extra)],
    [texts.differentListings, number(different)],
    [texts.changedListings, number(changed)],
  ];
  return (
    <Panel
      title={texts.reconciliation}
      aside={
        <a class={`chip ${differences === 0 ? 'good' : 'bad'}`} href={hashOf({ view: 'reconciliation' })}>
          {differences === 0 ? texts.feedEquals : texts.listingsDiffer(number(differences))}
        </a>
      }
    >
      {failed && (
        <div class="notice warn small">
          <p>{texts.reconcileFailed(dateTime(failed.at, language))}</p>
          <Original text={failed.error} meaning={texts.errorKinds['failed']} />
        </div>
      )}
      <dl class="facts reconciliation">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
