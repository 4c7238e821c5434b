import { byteText } from '../components/words/words.ts';
import type { GenerationStatus } from './api-types.ts';
import { Facts } from './Frame.tsx';
import { OriginalNotice } from './Original.tsx';
import { hashOf } from './route.ts';
import { useWords } from './use-words.ts';

const TONES: Record<string, string> = {
  live: 'good',
  ready: 'accent',
  building: 'accent',
  unfinished: 'bad',
  pruning: 'warn',
};

/** The name and role of a generation. */
export function GenerationTitle({ number, role }: { number: number; role: string }) {
  const { texts } = useWords();
  return (
    <span class="row generation-title">
      {texts.generation} {number} <span class={`chip ${TONES[role] ?? ''}`}>{texts.roles[role] ?? role}</span>
    </span>
  );
}

/** One generation: what it holds, what feeds it, and how far behind it is. */
export function GenerationCard({ generation }: { generation: GenerationStatus }) {
  const { texts, language, count, duration } = useWords();
  const { number, role, phase, origin, lag, members, sizeBytes, verification } = generation;
  const feeders = members.map(({ clientId, host, partitions }) => (
    <div key={`${clientId} ${host}`}>
      {clientId}@{host} <span class="soft small">({texts.partitions(partitions)})</span>
    </div>
  ));
  const nobody = <span class={role === 'live' ? 'chip bad' : 'soft'}>{texts.noMember}</span>;
  const behind = lag && (lag.records === 0 ? [] : [duration(lag.seconds)]);
  const verified = verification && (
    <a href={hashOf({ view: 'rebuild' })}>
      {texts.verified(verification.explained + verification.unexplained)}
    </a>
  );
  return (
    <article class={`card stack generation ${role}`} aria-label={`${texts.generation} ${number}`}>
      <h3>
        <GenerationTitle number={number} role={role} />
      </h3>
      {[generation.trouble, generation.topicTrouble].map(
        (text) =>
          text && <OriginalNotice key={text} tone="warn small" text={text} meaning={texts.unreadable} />,
      )}
      <Facts
        facts={[
          [texts.phase, texts.phases[phase] ?? phase],
          [texts.age, duration(generation.ageSeconds)],
          [texts.items, count(generation.items)],
          [texts.states, count(generation.states)],
          [texts.size, sizeBytes ? byteText(sizeBytes.total, language) : '–'],
          [texts.source, origin.from === 'topic' ? texts.fromTopic : texts.fromStates(origin.of)],
          [texts.lag, behind ? [texts.records(lag.records), ...behind].join(', ') : '–'],
          [texts.feeding, members.length > 0 ? feeders : nobody],
          [texts.verification, verified],
        ]}
      />
    </article>
  );
}
