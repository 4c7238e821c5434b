import { useState } from 'preact/hooks';
import { ActionButton, GenerationAction } from './ActionButton.tsx';
import type { Status } from './api-types.ts';
import { Choice, TextField } from './Fields.tsx';
import { Empty, Panel, ProgressBar, Skeleton } from './Frame.tsx';
import { GenerationTitle } from './GenerationCard.tsx';
import { JobList, LatestJob } from './JobList.tsx';
import { ReaderCharts } from './LiveCharts.tsx';
import { hashOf, type Route } from './route.ts';
import { useShown } from './use-console.ts';
import { useWords } from './use-words.ts';
import { VerificationPanel } from './VerificationPanel.tsx';

/** A rebuild from its start to the removal of the old generation. */
export function Rebuild({ route }: { route: Route }) {
  const { status, failing } = useShown().state;
  if (!status) return failing ? null : <Skeleton rows={6} />;
  return (
    <>
      <Progress status={status} />
      <ReaderCharts route={route} />
      <VerificationPanel status={status} />
      <Removal status={status} />
      <JobList isEmptyShown />
    </>
  );
}

function Progress({ status: { running, generations } }: { status: Status }) {
  const { texts } = useWords();
  const { rebuild } = useShown().state;
  const unfinished = generations.find(({ role }) => role === 'unfinished' || role === 'building');
  const generation = rebuild?.generation ?? unfinished?.number;
  const actions = (
    <div class="row">
      {!unfinished && !rebuild && <StartButton />}
      {unfinished && !rebuild && <GenerationAction action="resume" number={unfinished.number} />}
      {unfinished && <GenerationAction action="cancel" tone="danger" number={unfinished.number} />}
    </div>
  );
  return (
    <Panel title={texts.steps.rebuild} aside={actions}>
      <p class="small soft">{texts.rebuildHint}</p>
      {!rebuild && !unfinished ? (
        <Empty title={texts.noRebuild} />
      ) : (
        <div class="stack">
          <p>
            <strong>{generation === undefined ? texts.rebuildBegins : texts.rebuildOf(generation)}</strong>{' '}
            {!rebuild && <span class="chip bad">{texts.roles.unfinished}</span>}
          </p>
          {!rebuild && <p class="notice warn">{texts.interrupted}</p>}
          {rebuild?.progress && <ProgressBar {...rebuild.progress} />}
          {running && running.builders.length > 0 && <Builders builders={running.builders} />}
        </div>
      )}
      <p class="small">
        <a class="link" href={hashOf({ view: 'dead-letters', query: { reason: 'listing-failed' } })}>
          {texts.failedListings}
        </a>
      </p>
      <LatestJob actions={['replay', 'resume', 'cancel']} />
    </Panel>
  );
}

function StartButton() {
  const { texts } = useWords();
  const [from, setFrom] = useState('topic');
  const [rate, setRate] = useState('');
  const given = /^[1-9]\d{0,8}$/.test(rate) ? Number(rate) : undefined;
  const sources = [
    ['topic', texts.fromTopic],
    ['states', texts.states],
  ] as const;
  return (
    <ActionButton
      action="replay"
      tone="primary"
      args={{ from, ...(given !== undefined && { rate: given }) }}
      command={`replay --from ${from}${given === undefined ? '' : ` --rate ${given}`}`}
    >
      <Choice id="replay-from" label={texts.from} value={from} options={sources} onChange={setFrom} />
      <TextField id="replay-rate" label={texts.rate} type="number" min="1" value={rate} onChange={setRate} />
    </ActionButton>
  );
}

function Builders({ builders }: { builders: NonNullable<Status['running']>['builders'] }) {
  const { texts } = useWords();
  return (
    <ul class="row" aria-label={texts.builders}>
      {builders.map(({ host, pid, alive, partitions, slices }) => (
        <li key={`${host} ${pid}`} class="card builder small">
          <strong>
            {host}:{pid}
          </strong>{' '}
          <span class={`chip ${alive ? 'good' : 'bad'}`}>{alive ? texts.alive : texts.lost}</span>
          {partitions !== undefined && <div class="soft">{texts.partitions(partitions)}</div>}
          {slices && (
            <div class="soft">
              {texts.states}: {slices.done} / {slices.done + slices.inProgress}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Rollback to the previous generation, and removal of generations that no reader uses. */
function Removal({ status: { generations } }: { status: Status }) {
  const { texts, count } = useWords();
  const others = generations.filter(
    ({ role, phase }) => role !== 'live' && (phase === 'ready' || phase === 'pruning'),
  );
  const live = generations.find(({ role }) => role === 'live');
  return (
    <Panel title={texts.steps.prune}>
      {others.length === 0 ? (
        <Empty title={texts.noPrevious} />
      ) : (
        <ul class="stack">
          {others.map(({ number, role, items }) => (
            <li key={number} class="row spread job">
              <span class="row">
                <GenerationTitle number={number} role={role} />
                <span class="small soft">{`${texts.items}: ${count(items)}`}</span>
              </span>
              <span class="row">
                {role === 'previous' && (
                  <GenerationAction
                    action="rollback"
                    number={number}
                    effect={texts.nowLive(live?.number ?? '–', number)}
                  />
                )}
                <GenerationAction action="prune" number={number} tone="danger" />
              </span>
            </li>
          ))}
        </ul>
      )}
      <LatestJob actions={['rollback', 'prune']} />
    </Panel>
  );
}
