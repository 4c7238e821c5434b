import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { Status } from './api-types.ts';
import { Empty, Panel } from './Frame.tsx';
import { dateTime } from './formats.ts';
import { Original } from './Original.tsx';
import { TEXTS } from './texts.ts';

/** The last comparison of the feed with the marketplace's database. */
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
  const rows: [string, string][] = [
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
        <span class={`chip ${differences === 0 ? 'good' : 'bad'}`}>
          {differences === 0 ? texts.feedEquals : texts.listingsDiffer(number(differences))}
        </span>
      }
    >
      {failed && (
        <div class="notice warn small">
          <p>{texts.reconcileFailed(dateTime(failed.at, language))}</p>
          <Original text={failed.error} meaning={texts.errorKinds['failed']} />
        </div>
      )}
      <dl class="facts reconciliation">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
