import { GenerationAction } from './ActionButton.tsx';
import type { ExplainedGeneration, Explanation } from './api-types.ts';
import { Facts } from './Frame.tsx';
import { versionText } from './formats.ts';
import { REQUIRED } from './listing-lists.ts';
import { hashOf } from './route.ts';
import { valueText } from './text-difference.ts';
import { useShown } from './use-console.ts';
import { useWords } from './use-words.ts';

interface NextStepProps {
  explanation: Explanation;
  live: ExplainedGeneration | undefined;
}

/** Says what brings the listing into the feed or corrects its item, and where to look. */
export function NextStep({ explanation: { id, verdict, history }, live }: NextStepProps) {
  const { texts } = useWords();
  const { allowActions } = useShown().state;
  const events = !history && verdict !== 'unknown' && (
    <a class="link" href={hashOf({ view: 'explain', subject: id, query: { history: 'true' } })}>
      {texts.seeEvents}
    </a>
  );
  const database = (
    <a class="link" href={hashOf({ view: 'reconciliation' })}>
      {texts.seeDatabase}
    </a>
  );
  switch (verdict) {
    case 'hidden':
      return (
        <>
          <Missing live={live} />
          <div class="row">
            {events}
            {database}
          </div>
        </>
      );
    case 'only-dead-letters':
    case 'unknown':
      return (
        <>
          <p>{verdict === 'unknown' ? texts.checkId : texts.correctLetters}</p>
          <div class="row">{verdict === 'unknown' ? database : events}</div>
        </>
      );
    case 'item-missing':
    case 'in-but-different':
    case 'in-although-hidden':
    case 'in-without-state':
      if (live?.otherVersions)
        return (
          <a class="link" href={hashOf({ view: 'rebuild' })}>
            {texts.rebuildWithRules}
          </a>
        );
      return allowActions && live ? (
        <div class="row">
          <GenerationAction action="verify-self" number={live.number} tone="primary" />
        </div>
      ) : (
        <code>npm run cli -- verify --self</code>
      );
    default:
      return null;
  }
}

/** The fields without which the rules hide a listing, and what its source must send. */
function Missing({ live }: Pick<NextStepProps, 'live'>) {
  const { texts } = useWords();
  const { hidden, state, why } = live ?? {};
  if (hidden === 'removed') return <p>{texts.sendAgain(versionText(state?.removed ?? 0, texts))}</p>;
  const isRequired = REQUIRED.some((name) => name === hidden);
  const given = (name: string) => state?.fields[name]?.value ?? undefined;
  const cityOf = (place: unknown) => (place as { city?: unknown } | undefined)?.city ?? undefined;
  const fields = REQUIRED.map((name) => ({
    name,
    value: name === 'location' ? cityOf(given(name)) : given(name),
  }));
  const wrong = fields.filter(({ name, value }) => name === hidden || value === undefined);
  if (!isRequired) return <p>{texts.ofModule(why ?? hidden ?? '')}</p>;
  return (
    <>
      <p>{texts.sendFields(wrong.map(({ name }) => name).join(', '))}</p>
      <Facts
        wide
        facts={fields.map(({ name, value }) => [
          name,
          <>
            <span class={`chip ${name === hidden || value === undefined ? 'bad' : 'good'}`}>
              {value === undefined ? texts.isMissing : name === hidden ? texts.isUnusable : texts.isPresent}
            </span>{' '}
            {value !== undefined && <span translate={false}>{valueText(value)}</span>}
          </>,
        ])}
      />
    </>
  );
}
