import { useState } from 'preact/hooks';
import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { ActionButton } from './ActionButton.tsx';
import type { ConsoleState, GenerationStatus, Status } from './api-types.ts';
import { Empty, Panel, ProgressBar, Skeleton } from './Frame.tsx';
import { GenerationTitle } from './GenerationCard.tsx';
import { JobList, LatestJob } from './JobList.tsx';
import { ReaderCharts } from './LiveCharts.tsx';
import { hashOf, type Route } from './route.ts';
import { TEXTS } from './texts.ts';
import { isBusy } from './use-console.ts';
import { VerificationPanel } from './VerificationPanel.tsx';

export interface RebuildProps {
  state: ConsoleState;
  refresh(): void;
}

/** A rebuild from its start to the removal of the old generation. */
export function Rebuild({ state, route, refresh }: RebuildProps & { route: Route }) {
  const { status, allowActions, jobs } = state;
  if (!status) return state.failing ? null : <Skeleton rows={6} />;
  return (
    <>
      <Progress state={state} status={status} refresh={refresh} />
      <ReaderCharts route={route} />
      <VerificationPanel state={state} status={status} refresh={refresh} />
      <Removal state={state} status={status} refresh={refresh} />
      {allowActions && <JobList jobs={jobs} />}
    </>
  );
}

function Progress({ state, status, refresh }: RebuildProps & { status: Status }) {
  const texts = useTexts(TEXTS);
  const { allowActions, rebuild, jobs } = state;
  const { running, generations } = status;
  const unfinished = generations.find(({ role }) => role === 'unfinished' || role === 'building');
  const generation = rebuild?.generation ?? unfinished?.number;
  const actions = allowActions && (
    <div class="row">
      {!unfinished && !rebuild && <StartButton disabled={isBusy(state)} onStarted={refresh} />}
      {unfinished && !rebuild && (
        <ActionButton action="resume" command="replay resume" disabled={isBusy(state)} onStarted={refresh} />
      )}
      {unfinished && (
        <ActionButton
          action="cancel"
          tone="danger"
          command="replay cancel"
          effect={texts.onGeneration(unfinished.number)}
          disabled={isBusy(state)}
          onStarted={refresh}
        />
      )}
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
          {running && running.builders.length > 0 && <Builders status={status} />}
        </div>
      )}
      <p class="small">
        <a class="link" href={hashOf({ view: 'dead-letters', query: { reason: 'listing-failed' } })}>
          {texts.failedListings}
        </a>
      </p>
      <LatestJob jobs={jobs} actions={['replay', 'resume', 'cancel']} />
    </Panel>
  );
}

function StartButton({ disabled, onStarted }: { disabled: boolean; onStarted(): void }) {
  const texts = useTexts(TEXTS);
  const [from, setFrom] = useState('topic');
  const [rate, setRate] = useState('');
  const given = /^[1-9]\d{0,8}$/.test(rate) ? Number(rate) : undefined;
  return (
    <ActionButton
      action="replay"
      tone="primary"
      args={{ from, ...(given !== undefined && { rate: given }) }}
      command={`replay --from ${from}${given === undefined ? '' : ` --rate ${given}`}`}
      disabled={disabled}
      onStarted={onStarted}
    >
      <div class="field">
        <label for="replay-from">{texts.from}</label>
        <select id="replay-from" value={from} onChange={({ currentTarget }) => setFrom(currentTarget.value)}>
          <option value="topic">topic: {texts.fromTopic}</option>
          <option value="states">states: {texts.states}</option>
        </select>
      </div>
      <div class="field">
        <label for="replay-rate">{texts.rate}</label>
        <input
          id="replay-rate"
          type="number"
          min="1"
          value={rate}
          onInput={({ currentTarget }) => setRate(currentTarget.value)}
        />
      </div>
    </ActionButton>
  );
}

function Builders({ status: { running } }: { status: Status }) {
  const texts = useTexts(TEXTS);
  return (
    <ul class="row" aria-label={texts.builders}>
      {running?.builders.map(({ host, pid, alive, partitions, slices }) => (
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
function Removal({ state, status, refresh }: RebuildProps & { status: Status }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const others = status.generations.filter(
    ({ role, phase }) => role !== 'live' && (phase === 'ready' || phase === 'pruning'),
  );
  const live = status.generations.find(({ role }) => role === 'live');
  return (
    <Panel title={texts.steps.prune}>
      {others.length === 0 ? (
        <Empty title={texts.noPrevious} />
      ) : (
        <ul class="stack">
          {others.map((generation: GenerationStatus) => (
            <li key={generation.number} class="row spread job">
              <span class="row">
                <GenerationTitle number={generation.number} role={generation.role} />
                <span class="small soft">
                  {generation.items === undefined ? '–' : count(generation.items, language)} {texts.items}
                </span>
              </span>
              {state.allowActions && (
                <span class="row">
                  {generation.role === 'previous' && (
                    <ActionButton
                      action="rollback"
                      args={{ generation: generation.number }}
                      command={`rollback ${generation.number}`}
                      effect={texts.nowLive(live?.number ?? '–', generation.number)}
                      disabled={isBusy(state)}
                      onStarted={refresh}
                    />
                  )}
                  <ActionButton
                    action="prune"
                    tone="danger"
                    args={{ generation: generation.number }}
                    command={`prune ${generation.number}`}
                    effect={texts.onGeneration(generation.number)}
                    disabled={isBusy(state)}
                    onStarted={refresh}
                  />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      <LatestJob jobs={state.jobs} actions={['rollback', 'prune']} />
    </Panel>
  );
}
