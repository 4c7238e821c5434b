import { useEffect, useState } from 'preact/hooks';
import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { ConsoleState, Explanation } from './api-types.ts';
import { ExplainedGenerationCard } from './ExplainedGeneration.tsx';
import { Empty, Failure, Panel, Skeleton } from './Frame.tsx';
import { History } from './History.tsx';
import { ItemComparison } from './ItemComparison.tsx';
import { DeadLetterTable } from './letters/DeadLetterTable.tsx';
import { hashOf, type Route } from './route.ts';
import { TEXTS } from './texts.ts';
import { useRead } from './use-read.ts';

/** Why a listing is in the feed or not. */
export function ExplainView({ route, state }: { route: Route; state: ConsoleState }) {
  const texts = useTexts(TEXTS);
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
          <div class="field grow">
            <label for="listing-id">{texts.listingId}</label>
            <input
              id="listing-id"
              type="search"
              value={id}
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => setId(currentTarget.value)}
            />
          </div>
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
      {read.error !== undefined && <Failure message={read.error} again={read.again} />}
      {subject !== undefined && !read.value && read.error === undefined && <Skeleton rows={5} />}
      {read.value && <Explained explanation={read.value} live={liveOf(state)} />}
    </>
  );
}

const liveOf = ({ status }: ConsoleState): number | undefined =>
  status?.generations.find(({ role }) => role === 'live')?.number;

function Explained({ explanation, live }: { explanation: Explanation; live: number | undefined }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { generations, deadLetters, history, found } = explanation;
  return (
    <>
      <Verdict explanation={explanation} />
      {generations.length > 1 && found && <ItemComparison generations={generations} live={live} />}
      {found &&
        [...generations]
          .sort((a, b) => Number(b.role === 'live') - Number(a.role === 'live') || b.number - a.number)
          .map((generation) => <ExplainedGenerationCard key={generation.number} generation={generation} />)}
      {deadLetters.total > 0 && (
        <Panel title={`${texts.deadLetters}: ${count(deadLetters.total, language)}`}>
          <DeadLetterTable letters={deadLetters.newest} />
        </Panel>
      )}
      {history && <History history={history} />}
    </>
  );
}

function Verdict({ explanation: { id, verdict: code, found, generations } }: { explanation: Explanation }) {
  const texts = useTexts(TEXTS);
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
