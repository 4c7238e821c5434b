import { useState } from 'preact/hooks';
import type { Comparison, Difference } from './api-types.ts';
import { hashOf } from './route.ts';
import { Table } from './Table.tsx';
import { textDifference, valueText } from './text-difference.ts';
import { useWords } from './use-words.ts';

const SHOWN = 20;

/** The differences of a verification, each with its members side by side. */
export function Differences({ comparison }: { comparison: Comparison }) {
  const { texts, count } = useWords();
  const { differences, settled } = comparison;
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? differences : differences.slice(0, SHOWN);
  return (
    <div class="stack">
      <h3>{texts.differencesTitle}</h3>
      {settled > 0 && <p class="small soft">{texts.settled(settled)}</p>}
      {shown.map((difference, i) => (
        <details key={difference.id} class="difference" open={i < 3}>
          <summary>
            <code>{difference.id}</code> {texts.differenceKinds[difference.kind] ?? difference.kind}{' '}
            <span class={`chip reason ${difference.explained ? 'warn' : 'bad'}`}>
              {texts.differenceReason(difference)}
            </span>
          </summary>
          <Sides difference={difference} comparison={comparison} />
        </details>
      ))}
      {shown.length < differences.length && (
        <button type="button" class="button" onClick={() => setShowsAll(true)}>
          {texts.showAll(count(differences.length))}
        </button>
      )}
    </div>
  );
}

function Sides({ difference, comparison }: { difference: Difference; comparison: Comparison }) {
  const { texts } = useWords();
  const { id, values, members = [], hidden, failure } = difference;
  return (
    <div class="stack">
      {hidden && (
        <p>
          {texts.hiddenBecause} <strong>{texts.reasons[hidden] ?? hidden}</strong>
        </p>
      )}
      {failure && <p lang="en">{failure}</p>}
      {members.length > 0 && (
        <Table
          label={`${texts.differencesTitle}: ${id}`}
          class="sides"
          rows={members}
          keyOf={(name) => name}
          columns={[
            [texts.member, (name) => name, 'name'],
            [texts.inLive(comparison.live), (name) => <Side values={values?.[name]} own="live" />, 'value'],
            [
              texts.inNew(comparison.generation),
              (name) => <Side values={values?.[name]} own="new" />,
              'value',
            ],
          ]}
        />
      )}
      <p>
        <a href={hashOf({ view: 'explain', subject: id })}>{`${texts.explain}: ${id}`}</a>
      </p>
    </div>
  );
}

type Values = NonNullable<Difference['values']>[string] | undefined;

/** The value in one generation. The part that differs from the other generation is marked. */
function Side({ values, own }: { values: Values; own: 'live' | 'new' }) {
  const { texts } = useWords();
  const [live, next] = [values?.live ?? undefined, values?.new ?? undefined];
  const value = own === 'live' ? live : next;
  if (value === undefined) return <em class="soft">{texts.absent}</em>;
  if (live === undefined || next === undefined) return <>{valueText(value)}</>;
  const { before, leftPart, rightPart, after } = textDifference(valueText(live), valueText(next));
  return (
    <>
      {before}
      {own === 'live' ? <del class="bad">{leftPart}</del> : <ins class="good">{rightPart}</ins>}
      {after}
    </>
  );
}
