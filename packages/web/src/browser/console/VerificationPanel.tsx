import { useState } from 'preact/hooks';
import { ActionButton, GenerationAction } from './ActionButton.tsx';
import type { Comparison, GenerationStatus, Job, Status, VerificationResult } from './api-types.ts';
import { Differences } from './Differences.tsx';
import { Empty, Panel } from './Frame.tsx';
import { GenerationTitle } from './GenerationCard.tsx';
import { LatestJob } from './JobList.tsx';
import { useShown } from './use-console.ts';
import { useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

/** The verification of the newest ready generation, and the switch to it. */
export function VerificationPanel({ status }: { status: Status }) {
  const { texts } = useWords();
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
        <LatestJob actions={['verify', 'switch']} />
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
        <Actions candidate={candidate} live={live?.number} />
      </div>
      {candidate.verification ? (
        <Result verification={candidate.verification} generation={candidate.number} />
      ) : (
        <p class="chip">{texts.notVerified}</p>
      )}
      <LatestJob actions={['verify', 'switch']} />
    </Panel>
  );
}

const differencesOf = ({ explained, unexplained }: VerificationResult): number => explained + unexplained;

function Actions({ candidate, live }: { candidate: GenerationStatus; live: number | undefined }) {
  const { texts } = useWords();
  const { number, verification } = candidate;
  const differences = verification ? differencesOf(verification) : 0;
  return (
    <span class="row">
      <GenerationAction action="verify" number={number} />
      <ActionButton
        action="switch"
        tone="primary"
        args={{ generation: number, ...(differences > 0 && { 'allow-diff': differences }) }}
        command={`switch ${number}${differences > 0 ? ` --allow-diff ${differences}` : ''}`}
        effect={texts.nowLive(live ?? '–', number)}
        {...(differences > 0 && {
          mustType: { text: String(differences), label: texts.withDifferences(differences) },
        })}
        disabled={verification?.against !== live}
      />
    </span>
  );
}

function Result({ verification, generation }: { verification: VerificationResult; generation: number }) {
  const { texts, dateTime } = useWords();
  const { at, compared, unexplained, reasons = {} } = verification;
  const own = useShown().state.jobs.find(
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
        <span class="small soft">{dateTime(at)}</span>
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
  const { texts } = useWords();
  const { value } = useRead<Job>(`jobs/${job.id}`, {});
  const comparison = value?.result as Comparison | undefined;
  if (!comparison) return null;
  if (comparison.verification.at !== at) return <p class="notice warn">{texts.differencesElsewhere}</p>;
  return <Differences comparison={comparison} />;
}
