import { useState } from 'preact/hooks';
import type { Comparison, Difference } from './api-types.ts';
import { hashOf } from './route.ts';
import { Table } from './Table.tsx';
import { textDifference, valueText } from './text-difference.ts';
import { useWords } from './use-words.ts';

const SHOWN = 20;

/** The differences of a verification, each with its members side by side. */
export function Differences({
  comparison: { live, generation, differences, settled },
}: {
  comparison: Comparison;
}) {
  const { texts, count } = useWords();
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? differences : differences.slice(0, SHOWN);
  return (
    <div class="stack">
      <h3>{texts.differencesTitle}</h3>
      {settled > 0 && <p class="small soft">{texts.settled(settled)}</p>}
      <ul class="stack">
        {shown.map((difference, i) => (
          <li key={difference.id}>
            <details class="difference" open={i < 3}>
              <summary>
                <code>{difference.id}</code> {texts.differenceKinds[difference.kind] ?? difference.kind}{' '}
                <span class={`chip reason ${difference.explained ? 'warn' : 'bad'}`}>
                  {texts.differenceReason(difference)}
                </span>
              </summary>
              <Sides difference={difference} live={live} generation={generation} />
            </details>
          </li>
        ))}
      </ul>
      {shown.length < differences.length && (
        <button type="button" class="button" onClick={() => setShowsAll(true)}>
          {texts.showAll(count(differences.length))}
        </button>
      )}
    </div>
  );
}

function Sides({
  difference,
  live,
  generation,
}: {
  difference: Difference;
  live: number;
  generation: number;
}) {
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
          columns={[texts.member, texts.inLive(live), texts.inNew(generation)]}
        >
          {members.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <Pair left={values?.[name]?.live} right={values?.[name]?.new} />
            </tr>
          ))}
        </Table>
      )}
      <p>
        <a href={hashOf({ view: 'explain', subject: id })}>
          {texts.explain}: {id}
        </a>
      </p>
    </div>
  );
}

/** Two values with their different parts marked. */
function Pair({ left, right }: { left: unknown; right: unknown }) {
  const { texts } = useWords();
  if (left === null || left === undefined || right === null || right === undefined)
    return (
      <>
        {[left, right].map((value, i) => (
          <td key={i} class="value">
            {value === null || value === undefined ? <em class="soft">{texts.absent}</em> : valueText(value)}
          </td>
        ))}
      </>
    );
  const { before, leftPart, rightPart, after } = textDifference(valueText(left), valueText(right));
  return (
    <>
      <td class="value">
        {before}
        <del>{leftPart}</del>
        {after}
      </td>
      <td class="value">
        {before}
        <ins>{rightPart}</ins>
        {after}
      </td>
    </>
  );
}
