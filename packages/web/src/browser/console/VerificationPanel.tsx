import { useState } from 'preact/hooks';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { ActionButton } from './ActionButton.tsx';
import type {
  Comparison,
  ConsoleState,
  GenerationStatus,
  Job,
  Status,
  VerificationResult,
} from './api-types.ts';
import { Differences } from './Differences.tsx';
import { Empty, Panel } from './Frame.tsx';
import { dateTime } from './formats.ts';
import { GenerationTitle } from './GenerationCard.tsx';
import { LatestJob } from './JobList.tsx';
import { TEXTS } from './texts.ts';
import { isBusy } from './use-console.ts';
import { useRead } from './use-read.ts';

interface PanelProps {
  state: ConsoleState;
  status: Status;
  refresh(): void;
}

/** The verification of the newest ready generation, and the switch to it. */
export function VerificationPanel({ state, status, refresh }: PanelProps) {
  const texts = useTexts(TEXTS);
  const candidates = status.generations
    .filter(({ role, phase }) => role !== 'live' && phase === 'ready')
    .sort((a, b) => b.number - a.number);
  const [chosen, setChosen] = useState<number>();
  const candidate = candidates.find(({ number }) => number === chosen) ?? candidates[0];
  const live = status.generations.find(({ role }) => role === 'live');
  if (!candidate)
    return (
      <Panel title={texts.steps.verify}>
        <Empty title={texts.noCandidate} />
        <LatestJob jobs={state.jobs} actions={['verify', 'switch']} />
      </Panel>
    );
  return (
    <Panel title={texts.steps.verify}>
      <p class="small soft">{texts.verifyHint}</p>
      {candidates.length > 1 && (
        <select
          aria-label={texts.generation}
          value={candidate.number}
          onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
        >
          {candidates.map(({ number, role }) => (
            <option key={number} value={number}>
              {texts.generation} {number} ({texts.roles[role] ?? role})
            </option>
          ))}
        </select>
      )}
      <div class="row spread">
        <GenerationTitle number={candidate.number} role={candidate.role} />
        {state.allowActions && <Actions state={state} candidate={candidate} live={live} refresh={refresh} />}
      </div>
      {candidate.verification ? (
        <Result verification={candidate.verification} generation={candidate.number} jobs={state.jobs} />
      ) : (
        <p class="chip">{texts.notVerified}</p>
      )}
      <LatestJob jobs={state.jobs} actions={['verify', 'switch']} />
    </Panel>
  );
}

const differencesOf = ({ explained, unexplained }: VerificationResult): number => explained + unexplained;

function Actions({
  state,
  candidate,
  live,
  refresh,
}: {
  state: ConsoleState;
  candidate: GenerationStatus;
  live: GenerationStatus | undefined;
  refresh(): void;
}) {
  const texts = useTexts(TEXTS);
  const { number, verification } = candidate;
  const differences = verification ? differencesOf(verification) : 0;
  return (
    <span class="row">
      <ActionButton
        action="verify"
        args={{ generation: number }}
        command={`verify ${number}`}
        effect={texts.onGeneration(number)}
        disabled={isBusy(state)}
        onStarted={refresh}
      />
      <ActionButton
        action="switch"
        tone="primary"
        args={{ generation: number, ...(differences > 0 && { 'allow-diff': differences }) }}
        command={`switch ${number}${differences > 0 ? ` --allow-diff ${differences}` : ''}`}
        effect={texts.nowLive(live?.number ?? '–', number)}
        {...(differences > 0 && {
          mustType: { text: String(differences), label: texts.withDifferences(differences) },
        })}
        disabled={isBusy(state) || verification?.against !== live?.number}
        onStarted={refresh}
      />
    </span>
  );
}

function Result({
  verification,
  generation,
  jobs,
}: {
  verification: VerificationResult;
  generation: number;
  jobs: readonly Job[];
}) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { at, compared, unexplained, reasons = {} } = verification;
  const own = jobs.find(
    ({ action, state, arguments: given }) =>
      action === 'verify' && state === 'done' && given.generation === generation,
  );
  return (
    <div class="stack">
      <div class="row">
        <span class="chip">{texts.compared(compared)}</span>
        {Object.entries(reasons).map(([code, n]) => (
          <span key={code} class={`chip reason ${unexplained > 0 ? 'bad' : 'warn'}`}>
            {texts.reasonSummary(code, n)}
          </span>
        ))}
        <span class="small soft">{dateTime(at, language)}</span>
      </div>
      {differencesOf(verification) === 0 ? (
        <p class="notice good">{texts.equal}</p>
      ) : own ? (
        <OwnDifferences job={own} at={at} />
      ) : (
        <p class="notice warn">{texts.differencesElsewhere}</p>
      )}
    </div>
  );
}

/** The differences that a verification of this console has found. */
function OwnDifferences({ job, at }: { job: Job; at: string }) {
  const texts = useTexts(TEXTS);
  const { value } = useRead<Job>(`jobs/${job.id}`, {});
  const comparison = value?.result as Comparison | undefined;
  if (!comparison) return null;
  if (comparison.verification.at !== at) return <p class="notice warn">{texts.differencesElsewhere}</p>;
  return <Differences comparison={comparison} />;
}
