import type { ExplainedGeneration } from './api-types.ts';
import { CalendarHeatmap } from './CalendarHeatmap.tsx';
import { Panel } from './Frame.tsx';
import { versionText } from './formats.ts';
import { GenerationTitle } from './GenerationCard.tsx';
import { OriginalNotice } from './Original.tsx';
import { type Column, Table } from './Table.tsx';
import { valueText } from './text-difference.ts';
import { useWords } from './use-words.ts';

/** A listing in one generation: its state with every field, its calendar and its change. */
export function ExplainedGenerationCard({ generation }: { generation: ExplainedGeneration }) {
  const { texts, count, dateTime, dateText } = useWords();
  const { number, role, trouble, state, item, hidden, failure, position, change } = generation;
  return (
    <section class="card stack panel">
      <h2>
        <GenerationTitle number={number} role={role} />
      </h2>
      {trouble && <OriginalNotice tone="bad" text={trouble} meaning={texts.unreadable} />}
      {failure && <OriginalNotice tone="bad" text={failure} meaning={texts.verdictTexts['rules-failed']} />}
      {!trouble && !state && !item && <p class="soft">{texts.noData}</p>}
      {generation.agrees === false && <p class="notice bad">{texts.disagrees}</p>}
      {hidden && (
        <p class="notice warn">
          {texts.hiddenBecause} <strong>{texts.reasons[hidden] ?? generation.why ?? hidden}</strong>
        </p>
      )}
      {generation.dropped?.map(({ member, detail }) => (
        <p key={member} class="notice warn">
          {texts.leftOut} <code>{member}</code>: {texts.droppedTexts[member] ?? detail}
        </p>
      ))}
      {generation.ignored?.map((event) => (
        <p key={event.source} class="notice warn">
          {texts.ignoredEvent(
            versionText(event.version, texts),
            event.source,
            dateTime(event.time),
            event.member,
            versionText(event.held, texts),
          )}
        </p>
      ))}
      <div class="row small soft meta">
        {state && <span>{texts.revision(state.revision)}</span>}
        {state?.firstSeen && <span>{`${texts.firstSeen}: ${dateTime(state.firstSeen)}`}</span>}
        {state && (
          <span>
            {state.removed === 0 ? texts.neverRemoved : texts.removedAt(versionText(state.removed, texts))}
          </span>
        )}
        {state && state.replaced !== 0 && <span>{texts.replacedAt(versionText(state.replaced, texts))}</span>}
        {position && <span>{texts.position(count(position.at), count(position.of))}</span>}
        {change && <Change change={change} />}
      </div>
      {state && <Fields state={state} number={number} />}
      {state && (
        <Panel title={texts.calendar} level={3}>
          <p class="small soft">
            {texts.calendarSummary(
              count(state.calendar.kept),
              count(state.calendar.visible),
              count(state.calendar.open),
              dateText(state.calendar.today),
            )}
          </p>
          <CalendarHeatmap dates={state.dates} today={state.calendar.today} />
        </Panel>
      )}
    </section>
  );
}

function Change({ change }: { change: NonNullable<ExplainedGeneration['change']> }) {
  const { texts, dateTime } = useWords();
  const { state, at, sequence, changeNumber } = change;
  return (
    <span>
      {changeNumber === undefined ? (
        texts.sequence(sequence)
      ) : (
        <>
          {texts.changeNumber} <strong>{changeNumber}</strong>
        </>
      )}{' '}
      ({texts.changeStates[state] ?? state}, {dateTime(at)})
    </span>
  );
}

function Fields({ state, number }: { state: NonNullable<ExplainedGeneration['state']>; number: number }) {
  const { texts, dateTime } = useWords();
  const fields = Object.entries(state.fields);
  if (fields.length === 0) return <p class="soft">{texts.noFields}</p>;
  const hasTimes = fields.some(([, { seenAt }]) => seenAt !== undefined);
  const seen: Column<(typeof fields)[number]> = [
    texts.seen,
    ([, { seenAt }]) => dateTime(seenAt),
    'number nowrap',
  ];
  return (
    <Table
      label={`${texts.fieldsTitle}: ${texts.generation} ${number}`}
      class="fields"
      rows={fields}
      keyOf={([name]) => name}
      columns={[
        [texts.field, ([name]) => name, 'name'],
        [texts.version, ([, { version }]) => versionText(version, texts), 'number right nowrap'],
        ...(hasTimes ? [seen] : []),
        [
          texts.value,
          ([, { value }]) =>
            value === null ? (
              <span class="soft">{texts.cleared}</span>
            ) : (
              <span translate={false}>{valueText(value)}</span>
            ),
          'value',
        ],
      ]}
    />
  );
}
