import { useEffect, useState } from 'preact/hooks';
import type { Explanation } from './api-types.ts';
import { ExplainedGenerationCard } from './ExplainedGeneration.tsx';
import { TextField } from './Fields.tsx';
import { Empty, Loaded, Panel } from './Frame.tsx';
import { History } from './History.tsx';
import { ItemComparison } from './ItemComparison.tsx';
import { DeadLetterTable } from './letters/DeadLetterTable.tsx';
import { hashOf, type Route } from './route.ts';
import { useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

/** Why a listing is in the feed or not. */
export function ExplainView({ route }: { route: Route }) {
  const { texts } = useWords();
  const { subject, query } = route;
  const [id, setId] = useState(subject ?? '');
  const [history, setHistory] = useState(query.history === 'true');
  useEffect(() => {
    setId(subject ?? '');
    setHistory(query.history === 'true');
  }, [subject, query.history]);
  const read = useRead<Explanation>(
    'explain',
    subject === undefined ? undefined : { id: subject, history: query.history },
  );
  const explain = (event: Event) => {
    event.preventDefault();
    const given = id.trim();
    const target = hashOf({
      view: 'explain',
      ...(given !== '' && { subject: given }),
      query: history ? { history: 'true' } : {},
    });
    if (target === location.hash) read.again();
    else location.hash = target;
  };
  return (
    <>
      <form class="card stack" onSubmit={explain}>
        <div class="row search-row">
          <TextField id="listing-id" label={texts.listingId} value={id} onChange={setId} />
          <button type="submit" class="button primary">
            {texts.explain}
          </button>
        </div>
        <label class="row small">
          <input
            type="checkbox"
            checked={history}
            onChange={({ currentTarget }) => setHistory(currentTarget.checked)}
          />
          {texts.withHistory}
        </label>
      </form>
      {subject === undefined && <Empty title={texts.explainHint} />}
      {subject !== undefined && (
        <Loaded read={read} rows={5}>
          {(explanation) => <Explained explanation={explanation} />}
        </Loaded>
      )}
    </>
  );
}

function Explained({ explanation }: { explanation: Explanation }) {
  const { texts, count } = useWords();
  const { generations, deadLetters, history, found } = explanation;
  return (
    <>
      <Verdict explanation={explanation} />
      {generations.length > 1 && found && <ItemComparison generations={generations} />}
      {found &&
        [...generations]
          .sort((a, b) => Number(b.role === 'live') - Number(a.role === 'live') || b.number - a.number)
          .map((generation) => <ExplainedGenerationCard key={generation.number} generation={generation} />)}
      {deadLetters.total > 0 && (
        <Panel title={`${texts.deadLetters}: ${count(deadLetters.total)}`}>
          <DeadLetterTable letters={deadLetters.newest} />
        </Panel>
      )}
      {history && <History history={history} />}
    </>
  );
}

function Verdict({ explanation: { id, verdict: code, found, generations } }: { explanation: Explanation }) {
  const { texts } = useWords();
  const live = generations.find(({ role }) => role === 'live');
  const isIn = live?.item !== undefined;
  const verdict = !found ? 'unknown' : isIn ? (live?.agrees === false ? 'wrong' : 'in') : 'out';
  const tone = { in: 'good', wrong: 'bad', out: 'warn', unknown: '' }[verdict];
  const { feedItem } = live?.item ?? {};
  const title = feedItem && typeof feedItem.title === 'string' ? feedItem.title : id;
  return (
    <section class={`card stack verdict ${tone}`}>
      <div class="row">
        <span class={`chip ${tone}`}>{texts.verdicts[verdict]}</span>
        <code>{id}</code>
      </div>
      <h2>{title}</h2>
      <p>{texts.verdictTexts[code]}</p>
    </section>
  );
}
