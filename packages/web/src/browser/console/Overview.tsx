import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { ConsoleState, DeadLetterList, GenerationStatus, Status } from './api-types.ts';
import { CountBars, Empty, Failure, Panel, Skeleton, Stat } from './Frame.tsx';
import { dateTime, duration } from './formats.ts';
import { GenerationCard } from './GenerationCard.tsx';
import { worst } from './health/HealthLine.tsx';
import { LiveCharts } from './LiveCharts.tsx';
import { Reconciliation } from './Reconciliation.tsx';
import { hashOf, type Route } from './route.ts';
import { TEXTS } from './texts.ts';
import type { Read } from './use-read.ts';

/** The state of the deployment at a glance. */
export function Overview({
  state,
  route,
  deadLetters,
}: {
  state: ConsoleState;
  route: Route;
  deadLetters: Read<DeadLetterList>;
}) {
  const texts = useTexts(TEXTS);
  const { status } = state;
  if (!status) return state.failing ? null : <Skeleton rows={6} />;
  const live = status.generations.find(({ role }) => role === 'live');
  return (
    <>
      <KeyNumbers state={state} status={status} live={live} deadLetters={deadLetters.value?.total} />
      <section class="stack" aria-label={texts.generations}>
        <h2 class="hidden-text">{texts.generations}</h2>
        {status.generations.length === 0 ? (
          <Empty title={texts.noGeneration} />
        ) : (
          <div class="generations">
            {status.generations.map((generation) => (
              <GenerationCard key={generation.number} generation={generation} />
            ))}
          </div>
        )}
      </section>
      <LiveCharts route={route} />
      <div class="chart-grid two">
        <Hidden live={live} reasons={status.reasons} />
        <DeadLetterReasons read={deadLetters} />
      </div>
      <Reconciliation reconciliation={status.reconciliation} />
      <Leftovers status={status} />
    </>
  );
}

interface KeyNumbersProps {
  state: ConsoleState;
  status: Status;
  live: GenerationStatus | undefined;
  deadLetters: number | undefined;
}

function KeyNumbers({ state, status, live, deadLetters }: KeyNumbersProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const hidden = Object.values(live?.hidden ?? {}).reduce((sum, value) => sum + value, 0);
  const number = (value: number | undefined) => (value === undefined ? '–' : count(value, language));
  const { changes } = status;
  const followers =
    changes === undefined ? texts.noChanges : texts.followSince(dateTime(changes.since, language));
  return (
    <dl class="stats">
      <Stat
        label={texts.liveItems}
        value={number(live?.items)}
        level={live?.items ? 'good' : 'bad'}
        note={
          <a href={hashOf({ view: 'listings', query: { list: 'hidden' } })}>
            {texts.hiddenListings}: {number(hidden)}
          </a>
        }
      />
      <Freshness state={state} live={live} />
      <Stat
        label={texts.deadLetters}
        value={<a href={hashOf({ view: 'dead-letters' })}>{number(deadLetters)}</a>}
        level={deadLetters ? 'warn' : 'good'}
        note={<a href={hashOf({ view: 'dead-letters' })}>{status.deadLetters.topic}</a>}
      />
      <Stat
        label={texts.lastChange}
        value={changes?.lastChange === undefined ? '–' : String(changes.lastChange)}
        level={changes === undefined || changes.trouble !== undefined ? 'warn' : 'good'}
        note={followers}
      />
    </dl>
  );
}

const OUTAGES = new Set(['engine-silent', 'status-unreadable', 'status-slow']);
const STOPPED = new Set([
  'projector-missing',
  'projector-stalled',
  'generation-trouble',
  'no-live-generation',
]);
const LATE = new Set([...STOPPED, 'feed-behind', 'open-transaction']);

/** The age of the oldest event that readers do not see yet. Beside a fault, it never says that the feed is fresh. */
function Freshness({ state: { health }, live }: { state: ConsoleState; live: GenerationStatus | undefined }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { records = 0, seconds = 0, capped = false } = live?.lag ?? {};
  const isUnknown = health.some(({ code }) => OUTAGES.has(code));
  const hasStopped = health.some(({ code }) => STOPPED.has(code));
  const age = duration(seconds, language);
  const note = isUnknown
    ? texts.unknownNow
    : records > 0
      ? capped
        ? texts.staleAtLeast(age)
        : texts.stale(age)
      : hasStopped
        ? texts.willNotShow
        : texts.fresh;
  const isKnown = live?.lag && !isUnknown && (records > 0 || !hasStopped);
  return (
    <Stat
      label={texts.freshness}
      value={isKnown ? duration(records === 0 ? 0 : seconds, language) : '–'}
      level={isUnknown ? 'bad' : worst(health.filter(({ code }) => LATE.has(code)))}
      note={note}
    />
  );
}

function Hidden({ live, reasons }: { live: GenerationStatus | undefined; reasons: Status['reasons'] }) {
  const texts = useTexts(TEXTS);
  const hidden = live?.hidden ?? {};
  const others = (['dropped', 'superseded'] as const).map((list) => (
    <a key={list} href={hashOf({ view: 'listings', query: { list } })}>
      {texts.lists[list]}
    </a>
  ));
  return (
    <Panel title={texts.hiddenByReason} aside={<span class="row small">{others}</span>}>
      {Object.keys(hidden).length === 0 ? (
        <Empty title={texts.nothingHidden} />
      ) : (
        <CountBars
          counts={hidden}
          names={{ ...texts.reasons, ...reasons }}
          href={(name) => hashOf({ view: 'listings', query: { list: 'hidden', name } })}
        />
      )}
    </Panel>
  );
}

function DeadLetterReasons({ read: { value, error, again } }: { read: Read<DeadLetterList> }) {
  const texts = useTexts(TEXTS);
  return (
    <Panel title={texts.deadByReason}>
      {error !== undefined && <Failure message={error} again={again} />}
      {!value && error === undefined && <Skeleton rows={2} />}
      {value &&
        (value.total === 0 ? (
          <Empty title={texts.noDeadLetters} />
        ) : (
          <CountBars
            counts={value.byReason}
            names={texts.letterReasons}
            href={(reason) => hashOf({ view: 'dead-letters', query: { reason } })}
          />
        ))}
    </Panel>
  );
}

function Leftovers({ status: { orphanedIndices, keptChanges } }: { status: Status }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  if (orphanedIndices.length + keptChanges.length === 0) return null;
  return (
    <div class="notice small stack">
      {keptChanges.map(({ generation, until }) => (
        <p key={generation}>{texts.keptChanges(generation, dateTime(until, language))}</p>
      ))}
      {orphanedIndices.length > 0 && (
        <p>
          {texts.orphans}: <code>{orphanedIndices.join(', ')}</code>
        </p>
      )}
    </div>
  );
}
