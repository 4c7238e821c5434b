import { useState } from 'preact/hooks';
import { ActionButton, GenerationAction } from './ActionButton.tsx';
import type { Comparison, GenerationStatus, Job, Status, VerificationResult } from './api-types.ts';
import { Differences } from './Differences.tsx';
import { Choice } from './Fields.tsx';
import { Empty, Panel } from './Frame.tsx';
import { GenerationTitle } from './GenerationCard.tsx';
import { LatestJob } from './JobList.tsx';
import { useShown } from './use-console.ts';
import { useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

/** The verification of the newest ready generation, and the switch to it. */
export function VerificationPanel({ status: { generations } }: { status: Status }) {
  const { texts } = useWords();
  const candidates = generations
    .filter(({ role, phase }) => role !== 'live' && phase === 'ready')
    .sort((a, b) => b.number - a.number);
  const [chosen, setChosen] = useState('');
  const candidate = candidates.find(({ number }) => String(number) === chosen) ?? candidates[0];
  const live = generations.find(({ role }) => role === 'live');
  return (
    <Panel title={texts.steps.verify}>
      {candidate ? (
        <>
          <p class="small soft">{texts.verifyHint}</p>
          {candidates.length > 1 && (
            <Choice
              id="candidate"
              label={texts.generation}
              value={String(candidate.number)}
              options={candidates.map(({ number, role }) => [
                String(number),
                `${texts.generation} ${number} (${texts.roles[role] ?? role})`,
              ])}
              onChange={setChosen}
            />
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
        </>
      ) : (
        <Empty title={texts.noCandidate} />
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
  const accepted = differences > 0 && {
    args: { generation: number, 'allow-diff': differences },
    command: `switch ${number} --allow-diff ${differences}`,
    mustType: { text: String(differences), label: texts.withDifferences(differences) },
  };
  return (
    <span class="row">
      <GenerationAction action="verify" number={number} />
      <ActionButton
        action="switch"
        tone="primary"
        args={{ generation: number }}
        command={`switch ${number}`}
        effect={texts.nowLive(live ?? '–', number)}
        disabled={verification?.against !== live}
        {...accepted}
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
  const { value } = useRead<Job>(`jobs/${own?.id}`, own && {});
  const comparison = value?.result as Comparison | undefined;
  const isElsewhere = !own || (comparison && comparison.verification.at !== at);
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
      ) : isElsewhere ? (
        <p class="notice warn">{texts.differencesElsewhere}</p>
      ) : (
        comparison && <Differences comparison={comparison} />
      )}
    </div>
  );
}
