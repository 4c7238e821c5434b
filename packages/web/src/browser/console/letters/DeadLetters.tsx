import { useEffect, useState } from 'preact/hooks';
import { TimeBars } from '../../components/charts/TimeBars.tsx';
import { plural } from '../../components/words/words.ts';
import type { DeadLetterList } from '../api-types.ts';
import { Choice, TextField } from '../Fields.tsx';
import { CountBars, Empty, Loaded, Panel } from '../Frame.tsx';
import { JobList } from '../JobList.tsx';
import { hashOf, type Route } from '../route.ts';
import { timeBins } from '../time-bins.ts';
import { useShown } from '../use-console.ts';
import { useRead } from '../use-read.ts';
import { useWords } from '../use-words.ts';
import { CauseName, CauseTable } from './CauseTable.tsx';
import { DeadLetterDetail } from './DeadLetterDetail.tsx';
import { DeadLetterTable, DryRun } from './DeadLetterTable.tsx';
import { LetterActions, type LetterFilters } from './LetterActions.tsx';
import { useLastEnded, useRefusals } from './Standing.tsx';

const LIMIT = 500;

/** The records that the projector could not apply: all, or one with its bytes. */
export function DeadLetters({ route }: { route: Route }) {
  return route.subject === undefined ? <All route={route} /> : <DeadLetterDetail position={route.subject} />;
}

function All({ route }: { route: Route }) {
  const { texts, language, count, dateTime } = useWords();
  const { state } = useShown();
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
  const ended = useLastEnded();
  const overall = useRead<DeadLetterList>('dead-letters', { limit: '1', all }, ended);
  const read = useRead<DeadLetterList>('dead-letters', { ...filters, all, limit: String(LIMIT) }, ended);
  const { value } = read;
  const refusals = useRefusals();
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
      <Loaded read={read} rows={5} />
      {value && (cause || since || until || (settled?.length ?? 0) > 0) && (
        <p class="row small" role="status">
          {cause && (
            <a class="chip accent" href={hrefOf({ cause: '' })} aria-label={texts.removeFilter}>
              <CauseName cause={value.causes[0]} id={cause} /> ✕
            </a>
          )}
          {(since || until) && (
            <a class="chip accent" href={hrefOf({ since: '', until: '' })} aria-label={texts.removeFilter}>
              {[since, until].map((at) => (at ? dateTime(at) : '')).join(' – ')} ✕
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
            <CauseTable causes={value.causes} canAct={canAct} href={(id) => hrefOf({ cause: id })} />
          )}
          <Panel
            title={texts.newestOf(count(value.newest.length), count(value.total))}
            aside={
              <span class="row">
                <button type="button" class="button" onClick={() => setTrying(true)}>
                  {texts.dryRun}
                </button>
                {canAct && (
                  <LetterActions filters={filters} total={value.total} newest={value.newest[0]?.time} />
                )}
              </span>
            }
          >
            {isTrying && <DryRun query={filters} />}
            <DeadLetterTable letters={value.newest} refusals={refusals} />
          </Panel>
        </>
      )}
      {state.allowActions && state.jobs.length > 0 && <JobList />}
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
  const { texts, letterReason } = useWords();
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
      <Choice
        id="reason"
        label={texts.reason}
        value={query.reason ?? ''}
        options={[['', texts.allReasons], ...all.map((reason) => [reason, letterReason(reason)] as const)]}
        onChange={(reason) => go({ reason })}
      />
      <TextField id="key" label={texts.listingId} value={key} onChange={setKey} />
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
