import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { byteText } from '../components/words/words.ts';
import type { GenerationStatus } from './api-types.ts';
import { duration } from './formats.ts';
import { Original } from './Original.tsx';
import { hashOf } from './route.ts';
import { TEXTS } from './texts.ts';

const TONES: Record<string, string> = {
  live: 'good',
  previous: '',
  ready: 'accent',
  building: 'accent',
  unfinished: 'bad',
  pruning: 'warn',
};

/** The name and role of a generation. */
export function GenerationTitle({ number, role }: { number: number; role: string }) {
  const texts = useTexts(TEXTS);
  return (
    <span class="row generation-title">
      {texts.generation} {number} <span class={`chip ${TONES[role] ?? ''}`}>{texts.roles[role] ?? role}</span>
    </span>
  );
}

/** One generation: what it holds, what feeds it, and how far behind it is. */
export function GenerationCard({ generation }: { generation: GenerationStatus }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const {
    number,
    role,
    phase,
    ageSeconds,
    origin,
    items,
    states,
    sizeBytes,
    lag,
    members,
    verification,
    trouble,
    topicTrouble,
  } = generation;
  const number_ = (value: number | undefined) => (value === undefined ? '–' : count(value, language));
  const rows: [string, string][] = [
    [texts.phase, texts.phases[phase] ?? phase],
    [texts.age, duration(ageSeconds, language)],
    [texts.items, number_(items)],
    [texts.states, number_(states)],
    [texts.size, sizeBytes ? byteText(sizeBytes.total, language) : '–'],
    [texts.source, origin.from === 'topic' ? texts.fromTopic : texts.fromStates(origin.of)],
    [texts.lag, lag ? lagText(lag.records, lag.seconds) : '–'],
  ];
  function lagText(records: number, seconds: number): string {
    const text = texts.records(records);
    return records === 0 ? text : `${text}, ${duration(seconds, language)}`;
  }
  return (
    <article class={`card stack generation ${role}`} aria-label={`${texts.generation} ${number}`}>
      <h3>
        <GenerationTitle number={number} role={role} />
      </h3>
      {[trouble, topicTrouble].map(
        (text) =>
          text && (
            <div key={text} class="notice warn small">
              <Original text={text} meaning={texts.unreadable} />
            </div>
          ),
      )}
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </div>
        ))}
        <div>
          <dt>{texts.feeding}</dt>
          <dd>
            {members.length === 0 ? (
              <span class={role === 'live' ? 'chip bad' : 'soft'}>{texts.noMember}</span>
            ) : (
              members.map(({ clientId, host, partitions }) => (
                <div key={`${clientId} ${host}`}>
                  {clientId}@{host} <span class="soft small">({texts.partitions(partitions)})</span>
                </div>
              ))
            )}
          </dd>
        </div>
        {verification && (
          <div>
            <dt>{texts.verification}</dt>
            <dd>
              <a href={hashOf({ view: 'rebuild' })}>
                {texts.verified(verification.explained + verification.unexplained)}
              </a>
            </dd>
          </div>
        )}
      </dl>
    </article>
  );
}
