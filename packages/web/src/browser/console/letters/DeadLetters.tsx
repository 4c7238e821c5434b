import { useEffect, useState } from 'preact/hooks';
import { TimeBars } from '../../components/charts/TimeBars.tsx';
import { count } from '../../components/format.ts';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { plural } from '../../components/words/words.ts';
import type { ConsoleState, DeadLetterList } from '../api-types.ts';
import { CountBars, Empty, Failure, Panel, Skeleton } from '../Frame.tsx';
import { dateTime } from '../formats.ts';
import { JobList } from '../JobList.tsx';
import { hashOf, type Route } from '../route.ts';
import { TEXTS } from '../texts.ts';
import { timeBins } from '../time-bins.ts';
import { useRead } from '../use-read.ts';
import { CauseName, CauseTable } from './CauseTable.tsx';
import { DeadLetterDetail } from './DeadLetterDetail.tsx';
import { DeadLetterTable, DryRun } from './DeadLetterTable.tsx';
import { LetterActions, type LetterFilters } from './LetterActions.tsx';
import { lastEnded, useRefusals } from './Standing.tsx';

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
  const { reason, key, cause, since, until, all } = route.query;
  const filters: LetterFilters = {
    ...(reason && { reason }),
    ...(key && { key }),
    ...(cause && { cause }),
    ...(since && { since }),
    ...(until && { until }),
  };
  const isFiltered = Object.keys(filters).length > 0;
  const [isTrying, setTrying] = useState(false);
  const ended = lastEnded(state.jobs);
  const overall = useRead<DeadLetterList>('dead-letters', { limit: '1', all }, ended);
  const { value, error, again } = useRead<DeadLetterList>(
    'dead-letters',
    { ...filters, all, limit: String(LIMIT) },
    ended,
  );
  const refusals = useRefusals(state.jobs);
  // The actions leave out what is settled, so they do not affect all that such a list counts.
  const canAct = state.allowActions && all !== 'true';
  const hrefOf = (change: Record<string, string>) =>
    hashOf({ view: 'dead-letters', query: { ...route.query, ...change } });
  const go = (change: Record<string, string>) => {
    setTrying(false);
    location.hash = hrefOf(change);
  };
  const settled =
    value &&
    (
      [
        [value.retried, texts.sentAgain],
        [value.dismissed, texts.dismissedCount],
        [value.corrected, texts.correctedCount],
      ] as const
    ).filter(([n]) => n > 0);
  const bars = timeBins(value?.newest ?? [], language);
  return (
    <>
      <Filters route={route} reasons={Object.keys(overall.value?.byReason ?? {})} go={go} />
      {error !== undefined && <Failure message={error} again={again} />}
      {!value && error === undefined && <Skeleton rows={5} />}
      {value && (cause || since || until || (settled?.length ?? 0) > 0) && (
        <p class="row small" role="status">
          {cause && (
            <a class="chip accent" href={hrefOf({ cause: '' })} aria-label={texts.removeFilter}>
              <CauseName cause={value.causes[0]} id={cause} /> ✕
            </a>
          )}
          {(since || until) && (
            <a class="chip accent" href={hrefOf({ since: '', until: '' })} aria-label={texts.removeFilter}>
              {[since, until].map((at) => (at ? dateTime(at, language) : '')).join(' – ')} ✕
            </a>
          )}
          {settled?.map(([n, forms]) => (
            <a key={forms} href={hrefOf({ all: 'true' })}>
              {plural(language, n, forms)}
            </a>
          ))}
        </p>
      )}
      {value && value.total === 0 && (
        <Panel title={texts.deadLetters}>
          <Empty title={isFiltered ? texts.emptyLetters : texts.noneOpen}>
            {!isFiltered && settled?.length === 0 && texts.emptyLettersHint}
          </Empty>
        </Panel>
      )}
      {value && value.total > 0 && (
        <>
          <div class="chart-grid two">
            <Panel title={texts.deadByReason}>
              <CountBars
                counts={overall.value?.byReason ?? value.byReason}
                names={texts.letterReasons}
                href={(name) => hrefOf({ reason: name, cause: '' })}
              />
            </Panel>
            <Panel title={texts.byTime}>
              <TimeBars
                label={texts.byTime}
                bars={bars}
                href={({ from, to }) =>
                  hrefOf({ since: new Date(from).toISOString(), until: new Date(to).toISOString() })
                }
              />
            </Panel>
          </div>
          {!cause && (
            <CauseTable
              causes={value.causes}
              state={state}
              canAct={canAct}
              href={(id) => hrefOf({ cause: id })}
              refresh={refresh}
            />
          )}
          <Panel
            title={texts.newestOf(count(value.newest.length, language), count(value.total, language))}
            aside={
              <span class="row">
                <button type="button" class="button" onClick={() => setTrying(true)}>
                  {texts.dryRun}
                </button>
                {canAct && (
                  <LetterActions
                    state={state}
                    filters={filters}
                    total={value.total}
                    newest={value.newest[0]?.time}
                    refresh={refresh}
                  />
                )}
              </span>
            }
          >
            {isTrying && <DryRun query={filters} />}
            <DeadLetterTable letters={value.newest} refusals={refusals} />
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
  useEffect(() => setKey(query.key ?? ''), [query.key]);
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
        {texts.includeSettled}
      </label>
    </form>
  );
}
