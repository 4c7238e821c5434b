import { useLayoutEffect, useState } from 'preact/hooks';
import { TimeBars } from '../../components/charts/TimeBars.tsx';
import { plural } from '../../components/words/words.ts';
import type { DeadLetterList } from '../api-types.ts';
import { CheckBox, Choice, RequestForm, TextField } from '../Fields.tsx';
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

type Query = Route['query'];

/** The records that the projector could not apply: all of them, or one with its bytes. */
export function DeadLetters({ route: { subject, query } }: { route: Route }) {
  return subject === undefined ? <All query={query} /> : <DeadLetterDetail position={subject} />;
}

function All({ query }: { query: Query }) {
  const { texts } = useWords();
  const { all, ...others } = query;
  const filters: LetterFilters = Object.fromEntries(
    ['reason', 'key', 'cause', 'since', 'until'].flatMap((name) =>
      others[name] ? [[name, others[name]]] : [],
    ),
  );
  const ended = useLastEnded();
  const overall = useRead<DeadLetterList>('dead-letters', { limit: '1', all }, ended);
  const read = useRead<DeadLetterList>('dead-letters', { ...filters, all, limit: String(LIMIT) }, ended);
  const byReason = overall.value?.byReason;
  const hrefOf = (change: Query) => hashOf({ view: 'dead-letters', query: { ...query, ...change } });
  return (
    <>
      <Filters query={query} reasons={Object.keys(byReason ?? {})} isBusy={read.isLoading} hrefOf={hrefOf} />
      <Loaded read={read} rows={5}>
        {(list) => (
          <>
            <ActiveFilters list={list} query={query} hrefOf={hrefOf} />
            {list.total === 0 ? (
              <Panel title={texts.deadLetters}>
                <Nothing list={list} isFiltered={Object.keys(filters).length > 0} />
              </Panel>
            ) : (
              <Letters
                key={JSON.stringify(query)}
                list={list}
                byReason={byReason ?? list.byReason}
                filters={filters}
                isAll={all === 'true'}
                hrefOf={hrefOf}
              />
            )}
          </>
        )}
      </Loaded>
      <JobList />
    </>
  );
}

const settledOf = ({ retried, dismissed, corrected }: DeadLetterList): number =>
  retried + dismissed + corrected;

function Nothing({ list, isFiltered }: { list: DeadLetterList; isFiltered: boolean }) {
  const { texts } = useWords();
  return (
    <Empty title={isFiltered ? texts.emptyLetters : texts.noneOpen}>
      {!isFiltered && settledOf(list) === 0 && texts.emptyLettersHint}
    </Empty>
  );
}

interface PartProps {
  list: DeadLetterList;
  hrefOf(change: Query): string;
}

/** The filters that a link has set, and the numbers of the settled dead letters that the list leaves out. */
function ActiveFilters({ list, query: { cause, since, until }, hrefOf }: PartProps & { query: Query }) {
  const { texts, language, dateTime } = useWords();
  const { retried, dismissed, corrected } = list;
  if (!cause && !since && !until && settledOf(list) === 0) return null;
  const settled = [
    [retried, texts.sentAgain],
    [dismissed, texts.dismissedCount],
    [corrected, texts.correctedCount],
  ] as const;
  return (
    <p class="row small" role="status">
      {cause && (
        <a class="chip accent" href={hrefOf({ cause: '' })} aria-label={texts.removeFilter}>
          <CauseName cause={list.causes[0]} id={cause} /> ✕
        </a>
      )}
      {(since || until) && (
        <a class="chip accent" href={hrefOf({ since: '', until: '' })} aria-label={texts.removeFilter}>
          {[since, until].map((at) => (at ? dateTime(at) : '')).join(' – ')} ✕
        </a>
      )}
      {settled.map(
        ([n, forms]) =>
          n > 0 && (
            <a key={forms} href={hrefOf({ all: 'true' })}>
              {plural(language, n, forms)}
            </a>
          ),
      )}
    </p>
  );
}

interface LettersProps extends PartProps {
  byReason: DeadLetterList['byReason'];
  filters: LetterFilters;
  isAll: boolean;
}

function Letters({ list, byReason, filters, isAll, hrefOf }: LettersProps) {
  const { texts, language, count } = useWords();
  const [isTrying, setTrying] = useState(false);
  const refusals = useRefusals();
  // The actions leave out settled dead letters, so they do not affect everything that such a list counts.
  const canAct = useShown().state.allowActions && !isAll;
  const actions = (
    <span class="row">
      <button type="button" class="button" onClick={() => setTrying(true)}>
        {texts.dryRun}
      </button>
      {canAct && <LetterActions filters={filters} total={list.total} newest={list.newest[0]?.time} />}
    </span>
  );
  return (
    <>
      <div class="chart-grid two">
        <Panel title={texts.deadByReason}>
          <CountBars
            counts={byReason}
            names={texts.letterReasons}
            href={(reason) => hrefOf({ reason, cause: '' })}
          />
        </Panel>
        <Panel title={texts.byTime}>
          <TimeBars
            label={texts.byTime}
            bars={timeBins(list.newest, language)}
            href={({ from, to }) =>
              hrefOf({ since: new Date(from).toISOString(), until: new Date(to).toISOString() })
            }
          />
        </Panel>
      </div>
      {!filters.cause && (
        <CauseTable
          causes={list.causes}
          filters={filters}
          canAct={canAct}
          href={(cause) => hrefOf({ cause })}
        />
      )}
      <Panel title={texts.newestOf(count(list.newest.length), count(list.total))} aside={actions}>
        {isTrying && <DryRun query={filters} />}
        <DeadLetterTable letters={list.newest} refusals={refusals} />
      </Panel>
    </>
  );
}

interface FiltersProps extends Pick<PartProps, 'hrefOf'> {
  query: Query;
  reasons: readonly string[];
  isBusy: boolean;
}

function Filters({ query, reasons, isBusy, hrefOf }: FiltersProps) {
  const { texts, letterReason } = useWords();
  const [key, setKey] = useState(query.key ?? '');
  useLayoutEffect(() => setKey(query.key ?? ''), [query.key]);
  const go = (change: Query) => {
    location.hash = hrefOf(change);
  };
  const all = query.reason && !reasons.includes(query.reason) ? [query.reason, ...reasons] : reasons;
  const settled = (
    <CheckBox
      label={texts.includeSettled}
      isChecked={query.all === 'true'}
      onChange={(isChecked) => go({ all: isChecked ? 'true' : '' })}
    />
  );
  return (
    <RequestForm
      button={texts.filter}
      isBusy={isBusy}
      onSubmit={() => go({ key: key.trim() })}
      after={settled}
    >
      <Choice
        id="reason"
        label={texts.reason}
        value={query.reason ?? ''}
        options={[['', texts.allReasons], ...all.map((reason) => [reason, letterReason(reason)] as const)]}
        onChange={(reason) => go({ reason })}
      />
      <TextField id="key" label={texts.listingId} value={key} onChange={setKey} />
    </RequestForm>
  );
}
