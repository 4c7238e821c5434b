import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { ConsoleState, DeadLetterList, GenerationStatus, Status } from './api-types.ts';
import { CountBars, Empty, Failure, Panel, Skeleton, Stat } from './Frame.tsx';
import { dateTime, duration } from './formats.ts';
import { GenerationCard } from './GenerationCard.tsx';
import { LiveCharts } from './LiveCharts.tsx';
import { Original } from './Original.tsx';
import { Reconciliation } from './Reconciliation.tsx';
import { hashOf } from './route.ts';
import { TEXTS } from './texts.ts';
import { type Read, useRead } from './use-read.ts';

/** The state of the deployment at a glance. */
export function Overview({ state }: { state: ConsoleState }) {
  const texts = useTexts(TEXTS);
  const { status } = state;
  // The page counts the dead letters again when the topic has grown.
  const deadLetters = useRead<DeadLetterList>(
    'dead-letters',
    status && { limit: '1', records: String(status.deadLetters.records) },
  );
  if (!status) return state.failing ? null : <Skeleton rows={6} />;
  const live = status.generations.find(({ role }) => role === 'live');
  return (
    <>
      {status.otherModule !== undefined && (
        <div class="notice warn">
          <Original text={status.otherModule} meaning={texts.otherModule} />
        </div>
      )}
      <KeyNumbers status={status} live={live} deadLetters={deadLetters.value?.total} />
      <section class="stack" aria-label={texts.generations}>
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
      <LiveCharts state={state} />
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
  status: Status;
  live: GenerationStatus | undefined;
  deadLetters: number | undefined;
}

function KeyNumbers({ status, live, deadLetters }: KeyNumbersProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const hidden = Object.values(live?.hidden ?? {}).reduce((sum, value) => sum + value, 0);
  const number = (value: number | undefined) => (value === undefined ? '–' : count(value, language));
  const { changes } = status;
  return (
    <dl class="stats">
      <Stat
        label={texts.liveItems}
        value={number(live?.items)}
        note={
          <a href={hashOf({ view: 'listings', query: { list: 'hidden' } })}>
            {texts.hiddenListings}: {number(hidden)}
          </a>
        }
      />
      <Freshness live={live} />
      <Stat
        label={texts.deadLetters}
        value={<a href={hashOf({ view: 'dead-letters' })}>{number(deadLetters)}</a>}
        note={<a href={hashOf({ view: 'dead-letters' })}>{status.deadLetters.topic}</a>}
      />
      <Stat
        label={texts.lastChange}
        value={changes?.lastChange === undefined ? '–' : String(changes.lastChange)}
        note={changes && texts.followSince(dateTime(changes.since, language))}
      />
    </dl>
  );
}

/** The age of the oldest event that readers do not see yet. */
function Freshness({ live }: { live: GenerationStatus | undefined }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  if (!live?.lag) return <Stat label={texts.freshness} value="–" />;
  const { records, seconds, capped } = live.lag;
  const age = duration(seconds, language);
  const note = records === 0 ? texts.fresh : capped ? texts.staleAtLeast(age) : texts.stale(age);
  return <Stat label={texts.freshness} value={records === 0 ? duration(0, language) : age} note={note} />;
}

function Hidden({ live, reasons }: { live: GenerationStatus | undefined; reasons: Status['reasons'] }) {
  const texts = useTexts(TEXTS);
  const hidden = live?.hidden ?? {};
  return (
    <Panel title={texts.hiddenByReason}>
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
