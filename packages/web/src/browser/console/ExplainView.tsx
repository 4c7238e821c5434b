import { useLayoutEffect, useState } from 'preact/hooks';
import type { Explanation } from './api-types.ts';
import { ExplainedGenerationCard } from './ExplainedGeneration.tsx';
import { CheckBox, RequestForm, TextField } from './Fields.tsx';
import { Empty, Loaded, Panel } from './Frame.tsx';
import { History } from './History.tsx';
import { ItemComparison } from './ItemComparison.tsx';
import { LatestJob } from './JobList.tsx';
import { DeadLetterTable } from './letters/DeadLetterTable.tsx';
import { useLastEnded } from './letters/Standing.tsx';
import { NextStep } from './NextStep.tsx';
import { hashOf, type Route } from './route.ts';
import { useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

/** Shows why a listing is in the feed or not. */
export function ExplainView({ route: { subject, query } }: { route: Route }) {
  const { texts } = useWords();
  const [id, setId] = useState(subject ?? '');
  const [history, setHistory] = useState(query.history === 'true');
  // An effect after the next frame could replace what a person has typed since then.
  useLayoutEffect(() => {
    setId(subject ?? '');
    setHistory(query.history === 'true');
  }, [subject, query.history]);
  const request = subject === undefined ? undefined : { id: subject, history: query.history };
  const read = useRead<Explanation>('explain', request, useLastEnded());
  const explain = () => {
    const filters = { history: history ? 'true' : '' };
    const target = hashOf({ view: 'explain', subject: id.trim(), query: filters });
    if (target === location.hash) read.again();
    else location.hash = target;
  };
  return (
    <>
      <RequestForm
        button={texts.explain}
        isBusy={read.isLoading}
        onSubmit={explain}
        after={<CheckBox label={texts.withHistory} isChecked={history} onChange={setHistory} />}
      >
        <TextField id="listing-id" label={texts.listingId} value={id} onChange={setId} />
      </RequestForm>
      {subject === undefined ? (
        <Empty title={texts.explainHint} />
      ) : (
        <Loaded read={read} rows={5}>
          {(explanation) => <Explained explanation={explanation} />}
        </Loaded>
      )}
    </>
  );
}

function Explained({ explanation }: { explanation: Explanation }) {
  const { texts, count } = useWords();
  const { deadLetters, history, found } = explanation;
  const generations = [...explanation.generations].sort(
    (a, b) => Number(b.role === 'live') - Number(a.role === 'live') || b.number - a.number,
  );
  return (
    <>
      <Verdict explanation={explanation} />
      <LatestJob actions={['verify-self']} />
      {generations.length > 1 && found && <ItemComparison generations={generations} />}
      {found &&
        generations.map((generation) => (
          <ExplainedGenerationCard key={generation.number} generation={generation} />
        ))}
      {deadLetters.total > 0 && (
        <Panel title={`${texts.deadLetters}: ${count(deadLetters.total)}`}>
          <DeadLetterTable letters={deadLetters.newest} />
        </Panel>
      )}
      {history && <History history={history} />}
    </>
  );
}

function Verdict({ explanation }: { explanation: Explanation }) {
  const { texts } = useWords();
  const { id, verdict: code, found, generations } = explanation;
  const live = generations.find(({ role }) => role === 'live');
  const isIn = live?.item !== undefined;
  const verdict = !found ? 'unknown' : isIn ? (live?.agrees === false ? 'wrong' : 'in') : 'out';
  const tone = { in: 'good', wrong: 'bad', out: 'warn', unknown: '' }[verdict];
  const title = live?.item?.feedItem.title;
  return (
    <section class={`card stack verdict ${tone}`}>
      <div class="row">
        <span class={`chip ${tone}`}>{texts.verdicts[verdict]}</span>
        {title !== undefined && <code>{id}</code>}
      </div>
      <h2>{title ?? id}</h2>
      <p>{texts.verdictTexts[code]}</p>
      <NextStep explanation={explanation} live={live} />
    </section>
  );
}
