import type { DeadLetterList, GenerationStatus, Status } from './api-types.ts';
import { CountBars, Empty, Loaded, Panel, Skeleton, Stat } from './Frame.tsx';
import { GenerationCard } from './GenerationCard.tsx';
import { worst } from './health/HealthLine.tsx';
import { LiveCharts } from './LiveCharts.tsx';
import { Reconciliation } from './Reconciliation.tsx';
import { hashOf, type Route } from './route.ts';
import { useShown } from './use-console.ts';
import type { Read } from './use-read.ts';
import { useWords } from './use-words.ts';

/** The state of the deployment at a glance. */
export function Overview({ route, deadLetters }: { route: Route; deadLetters: Read<DeadLetterList> }) {
  const { texts } = useWords();
  const { status, failing } = useShown().state;
  if (!status) return failing ? null : <Skeleton rows={6} />;
  const live = status.generations.find(({ role }) => role === 'live');
  return (
    <>
      <KeyNumbers status={status} live={live} deadLetters={deadLetters.value?.total} />
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
        <Hidden live={live} status={status} />
        <DeadLetterReasons read={deadLetters} />
      </div>
      <Reconciliation reconciliation={status.reconciliation} />
      <Leftovers status={status} />
    </>
  );
}

interface LiveProps {
  status: Status;
  live: GenerationStatus | undefined;
}

function KeyNumbers({ status, live, deadLetters }: LiveProps & { deadLetters: number | undefined }) {
  const { texts, count, dateTime } = useWords();
  const hidden = Object.values(live?.hidden ?? {}).reduce((sum, value) => sum + value, 0);
  const { changes } = status;
  const letters = (text: string) => <a href={hashOf({ view: 'dead-letters' })}>{text}</a>;
  return (
    <dl class="stats">
      <Stat
        label={texts.liveItems}
        value={count(live?.items)}
        level={live?.items ? 'good' : 'bad'}
        note={
          <a href={hashOf({ view: 'listings', query: { list: 'hidden' } })}>
            {texts.hiddenListings}: {count(hidden)}
          </a>
        }
      />
      <Freshness live={live} />
      <Stat
        label={texts.deadLetters}
        value={letters(count(deadLetters))}
        level={deadLetters ? 'warn' : 'good'}
        note={letters(status.deadLetters.topic)}
      />
      <Stat
        label={texts.lastChange}
        value={changes?.lastChange ?? '–'}
        level={changes === undefined || changes.trouble !== undefined ? 'warn' : 'good'}
        note={changes ? texts.followSince(dateTime(changes.since)) : texts.noChanges}
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

/**
 * The age of the oldest event that readers do not see yet. During a fault, the text never says that the feed
 * is fresh.
 */
function Freshness({ live }: Pick<LiveProps, 'live'>) {
  const { health } = useShown().state;
  const { texts, duration } = useWords();
  const { records = 0, seconds = 0, capped = false } = live?.lag ?? {};
  const has = (codes: ReadonlySet<string>) => health.some(({ code }) => codes.has(code));
  const isUnknown = has(OUTAGES);
  const stale = capped ? texts.staleAtLeast : texts.stale;
  const note = isUnknown
    ? texts.unknownNow
    : records > 0
      ? stale(duration(seconds))
      : has(STOPPED)
        ? texts.willNotShow
        : texts.fresh;
  const isKnown = live?.lag && !isUnknown && (records > 0 || !has(STOPPED));
  return (
    <Stat
      label={texts.freshness}
      value={isKnown ? duration(records === 0 ? 0 : seconds) : '–'}
      level={isUnknown ? 'bad' : worst(health.filter(({ code }) => LATE.has(code)))}
      note={note}
    />
  );
}

function Hidden({ live, status: { reasons } }: LiveProps) {
  const { texts } = useWords();
  const hidden = live?.hidden ?? {};
  const others = (['dropped', 'superseded'] as const).map((list) => (
    <a key={list} class="link" href={hashOf({ view: 'listings', query: { list } })}>
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

function DeadLetterReasons({ read }: { read: Read<DeadLetterList> }) {
  const { texts } = useWords();
  return (
    <Panel title={texts.deadByReason}>
      <Loaded read={read} rows={2}>
        {({ total, byReason }) =>
          total === 0 ? (
            <Empty title={texts.noDeadLetters} />
          ) : (
            <CountBars
              counts={byReason}
              names={texts.letterReasons}
              href={(reason) => hashOf({ view: 'dead-letters', query: { reason } })}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Leftovers({ status: { orphanedIndices, keptChanges } }: { status: Status }) {
  const { texts, dateTime } = useWords();
  if (orphanedIndices.length + keptChanges.length === 0) return null;
  return (
    <div class="notice small stack">
      {keptChanges.map(({ generation, until }) => (
        <p key={generation}>{texts.keptChanges(generation, dateTime(until))}</p>
      ))}
      {orphanedIndices.length > 0 && (
        <p>
          {texts.orphans}: <code>{orphanedIndices.join(', ')}</code>
        </p>
      )}
    </div>
  );
}
