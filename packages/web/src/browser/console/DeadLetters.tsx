import { useState } from 'preact/hooks';
import { TimeBars } from '../components/charts/TimeBars.tsx';
import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { ActionButton } from './ActionButton.tsx';
import type { ConsoleState, DeadLetterList } from './api-types.ts';
import { DeadLetterDetail } from './DeadLetterDetail.tsx';
import { DeadLetterTable, DryRun } from './DeadLetterTable.tsx';
import { CountBars, Empty, Failure, Panel, Skeleton } from './Frame.tsx';
import { JobList } from './JobList.tsx';
import { hashOf, type Route } from './route.ts';
import { TEXTS } from './texts.ts';
import { timeBins } from './time-bins.ts';
import { isBusy } from './use-console.ts';
import { useRead } from './use-read.ts';

const LIMIT = 500;

interface DeadLettersProps {
  route: Route;
  state: ConsoleState;
  refresh(): void;
}

/** The records that the projector could not apply: all, or one with its bytes. */
export function DeadLetters({ route, state, refresh }: DeadLettersProps) {
  if (route.subject !== undefined)
    return <DeadLetterDetail position={route.subject} state={state} refresh={refresh} />;
  return <All route={route} state={state} refresh={refresh} />;
}

function All({ route, state, refresh }: DeadLettersProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { reason, key, all } = route.query;
  const filters = { ...(reason && { reason }), ...(key && { key }) };
  const [isTrying, setTrying] = useState(false);
  const overall = useRead<DeadLetterList>('dead-letters', { limit: '1', all });
  const { value, error, again } = useRead<DeadLetterList>('dead-letters', {
    ...filters,
    all,
    limit: String(LIMIT),
  });
  const go = (change: Record<string, string>) => {
    setTrying(false);
    location.hash = hashOf({ view: 'dead-letters', query: { ...route.query, ...change } });
  };
  const words = Object.entries(filters).map(([name, value]) => ` --${name} ${value}`);
  return (
    <>
      <Filters route={route} reasons={Object.keys(overall.value?.byReason ?? {})} go={go} />
      {error !== undefined && <Failure message={error} again={again} />}
      {!value && error === undefined && <Skeleton rows={5} />}
      {value && value.total === 0 && (
        <Panel title={texts.deadLetters}>
          <Empty title={texts.emptyLetters}>{!reason && !key && texts.emptyLettersHint}</Empty>
        </Panel>
      )}
      {value && value.total > 0 && (
        <>
          <div class="chart-grid two">
            <Panel title={texts.deadByReason}>
              <CountBars
                counts={overall.value?.byReason ?? value.byReason}
                names={texts.letterReasons}
                href={(name) => hashOf({ view: 'dead-letters', query: { ...route.query, reason: name } })}
              />
            </Panel>
            <Panel title={texts.byTime}>
              <TimeBars label={texts.byTime} bars={timeBins(value.newest, language)} />
            </Panel>
          </div>
          <Panel
            title={texts.newestOf(count(value.newest.length, language), count(value.total, language))}
            aside={
              <span class="row">
                <button type="button" class="button" onClick={() => setTrying(true)}>
                  {texts.dryRun}
                </button>
                {state.allowActions && (
                  <ActionButton
                    action="retry"
                    tone="danger"
                    args={filters}
                    command={`dead-letters retry${words.join('')}`}
                    effect={texts.onDeadLetters(value.total)}
                    disabled={isBusy(state)}
                    onStarted={refresh}
                  />
                )}
              </span>
            }
          >
            {isTrying && <DryRun query={filters} />}
            <DeadLetterTable letters={value.newest} />
          </Panel>
        </>
      )}
      {state.allowActions && state.jobs.length > 0 && <JobList jobs={state.jobs} />}
    </>
  );
}

function Filters({
  route: { query },
  reasons,
  go,
}: {
  route: Route;
  reasons: string[];
  go(change: Record<string, string>): void;
}) {
  const texts = useTexts(TEXTS);
  const [key, setKey] = useState(query.key ?? '');
  const all = query.reason && !reasons.includes(query.reason) ? [query.reason, ...reasons] : reasons;
  return (
    <form
      class="card row filters"
      onSubmit={(event) => {
        event.preventDefault();
        go({ key: key.trim() });
      }}
    >
      <div class="field">
        <label for="reason">{texts.reason}</label>
        <select
          id="reason"
          value={query.reason ?? ''}
          onChange={({ currentTarget }) => go({ reason: currentTarget.value })}
        >
          <option value="">{texts.allReasons}</option>
          {all.map((reason) => (
            <option key={reason} value={reason}>
              {texts.letterReasons[reason] ?? reason}
            </option>
          ))}
        </select>
      </div>
      <div class="field grow">
        <label for="key">{texts.listingId}</label>
        <input
          id="key"
          type="search"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
      </div>
      <button type="submit" class="button">
        {texts.filter}
      </button>
      <label class="row small">
        <input
          type="checkbox"
          checked={query.all === 'true'}
          onChange={({ currentTarget }) => go({ all: currentTarget.checked ? 'true' : '' })}
        />
        {texts.includeRetried}
      </label>
    </form>
  );
}
