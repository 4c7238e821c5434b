import { useState } from 'preact/hooks';
import { JsonView } from '../components/JsonView.tsx';
import { cancelJob } from './api.ts';
import type { Job } from './api-types.ts';
import { Empty, Panel, ProgressBar } from './Frame.tsx';
import { OriginalNotice } from './Original.tsx';
import { useShown } from './use-console.ts';
import { type ReadError, readError, useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

const TONES: Record<Job['state'], string> = {
  running: 'accent',
  cancelling: 'warn',
  done: 'good',
  refused: 'warn',
  failed: 'bad',
  cancelled: '',
};

/** The page shows the progress of these commands as the progress of the rebuild. */
const BUILDS = new Set(['replay', 'resume']);

/** The commands that this console has run. A console that only reads has none. */
export function JobList({ isEmptyShown = false }: { isEmptyShown?: boolean }) {
  const { jobs, allowActions } = useShown().state;
  const { texts } = useWords();
  if (!allowActions || (jobs.length === 0 && !isEmptyShown)) return null;
  return (
    <Panel title={texts.jobs}>
      {jobs.length === 0 && <Empty title={texts.noJobs} />}
      {jobs.map((job) => (
        <JobLine key={job.id} job={job} />
      ))}
    </Panel>
  );
}

/** The newest command from one part of a page, beside the button that started it. */
export function LatestJob({ actions }: { actions: readonly string[] }) {
  const job = useShown().state.jobs.find(({ action }) => actions.includes(action));
  return job ? <JobLine key={job.id} job={job} isLive /> : null;
}

/** @param isLive whether to show the progress, which a page shows only once */
function JobLine({ job, isLive = false }: { job: Job; isLive?: boolean }) {
  const { texts, clock } = useWords();
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<ReadError>();
  const { id, action, arguments: given, state, startedAt, endedAt, progress, messages } = job;
  const isRefused = action === 'retry' && job.isNegative === true;
  const words = Object.entries(given).map(([name, value]) => `${name} ${String(value)}`);
  const cancel = () => cancelJob(id).catch((failure: unknown) => setError(readError(failure)));
  return (
    <div class="stack tight job">
      <div class="row spread">
        <span class="row">
          <span
            class={`chip ${isRefused ? 'bad' : TONES[state]}`}
            data-job-state={isLive ? undefined : state}
          >
            {isRefused ? texts.refusedAgain : texts.jobStates[state]}
          </span>
          <strong>{texts.actions[action as keyof typeof texts.actions]?.button ?? action}</strong>
          <code class="small soft">{words.join(', ')}</code>
        </span>
        <span class="row small soft number">
          {clock(startedAt)}
          {endedAt && ` – ${clock(endedAt)}`}
          {state === 'running' && (
            <button type="button" class="button compact danger" onClick={() => void cancel()}>
              {texts.cancel}
            </button>
          )}
        </span>
      </div>
      {isLive && endedAt === undefined && progress && !BUILDS.has(action) && <ProgressBar {...progress} />}
      {error && (
        <OriginalNotice tone="bad" text={error.message} meaning={texts.errorKinds[error.kind ?? 'failed']} />
      )}
      {messages !== '' && <pre class="small soft">{messages}</pre>}
      {endedAt !== undefined && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary class="small">{texts.showResult}</summary>
          {isOpen && <JobResult id={id} />}
        </details>
      )}
    </div>
  );
}

function JobResult({ id }: { id: number }) {
  const { value } = useRead<Job>(`jobs/${id}`, {});
  if (!value) return null;
  return (
    <div class="code json">
      <JsonView value={value.result} open />
    </div>
  );
}
