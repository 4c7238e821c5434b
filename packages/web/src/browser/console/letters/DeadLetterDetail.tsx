import { useState } from 'preact/hooks';
import { JsonView } from '../../components/JsonView.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { plural } from '../../components/words/words.ts';
import type { Content, ShownDeadLetter } from '../api-types.ts';
import { BytesView } from '../BytesView.tsx';
import { Facts, Loaded, Panel } from '../Frame.tsx';
import { JobList } from '../JobList.tsx';
import { Original } from '../Original.tsx';
import { hashOf } from '../route.ts';
import { useRead } from '../use-read.ts';
import { useWords } from '../use-words.ts';
import { CauseName } from './CauseTable.tsx';
import { DryRun, ListingLink } from './DeadLetterTable.tsx';
import { LetterActions } from './LetterActions.tsx';
import { Standing, useLastEnded, useRefusals } from './Standing.tsx';

/** One dead letter: why it was refused, and its bytes. @param position `partition:offset` */
export function DeadLetterDetail({ position }: { position: string }) {
  const { texts } = useWords();
  const read = useRead<ShownDeadLetter>('dead-letters/show', { ref: position }, useLastEnded());
  const [isTrying, setTrying] = useState(false);
  const actionsOf = ({ ref, retryable }: ShownDeadLetter) => (
    <span class="row">
      {retryable && (
        <button type="button" class="button" onClick={() => setTrying(true)}>
          {texts.dryRun}
        </button>
      )}
      <LetterActions position={ref} canRetry={retryable} />
    </span>
  );
  return (
    <>
      <p>
        <a class="link" href={hashOf({ view: 'dead-letters' })}>
          ← {texts.back}
        </a>
      </p>
      <Loaded read={read} rows={5}>
        {(letter) => (
          <>
            <Panel title={`${texts.deadLetter} ${letter.ref}`} aside={actionsOf(letter)}>
              {isTrying && <DryRun query={{ ref: position }} />}
              <LetterFacts letter={letter} />
            </Panel>
            <Value letter={letter} />
          </>
        )}
      </Loaded>
      <JobList />
    </>
  );
}

function LetterFacts({ letter }: { letter: ShownDeadLetter }) {
  const { texts, dateTime, letterReason } = useWords();
  const { ref, reason, detail, time, key, origin, cause, headers } = letter;
  const refusal = useRefusals().get(ref);
  const standing = (
    <>
      <span class="chip bad">{letterReason(reason)}</span>
      <Standing letter={letter} refusal={refusal} />
    </>
  );
  const rows = (
    <a href={hashOf({ view: 'dead-letters', query: { cause: cause.id } })}>
      <CauseName cause={cause} id={cause.id} />
    </a>
  );
  return (
    <Facts
      wide
      facts={[
        [texts.reason, standing],
        [texts.cause, rows],
        [texts.detail, detail ? <Original text={detail} /> : '–'],
        [texts.key, <ListingLink id={key} />],
        [texts.time, dateTime(time)],
        [texts.origin, `${origin.topic} ${origin.partition}:${origin.offset}`],
        [texts.headers, Object.keys(headers).length > 0 ? <Headers headers={headers} /> : undefined],
      ]}
    />
  );
}

function Headers({ headers }: Pick<ShownDeadLetter, 'headers'>) {
  return (
    <dl class="headers stack tight">
      {Object.entries(headers).flatMap(([name, header]) =>
        [header].flat().map((one, i) => (
          <div key={`${name} ${i}`} class="row">
            <dt>
              <code>{name}</code>
            </dt>
            <dd class="value">
              <HeaderValue content={one} />
            </dd>
          </div>
        )),
      )}
    </dl>
  );
}

function HeaderValue({ content }: { content: Content | null }) {
  if (content === null) return <span class="soft">null</span>;
  return 'text' in content ? (
    <code>{content.text}</code>
  ) : (
    <>
      <span class="soft">base64</span> <code>{content.base64}</code>
    </>
  );
}

function FaultLine({ fault }: { fault: NonNullable<ShownDeadLetter['fault']> }) {
  const { texts, count } = useWords();
  const { from, to, character, isEnd } = fault;
  if (isEnd) return <mark>{texts.endsAt(count(to), count(character ?? to))}</mark>;
  return (
    <mark>
      {texts.faultAt(count(from), to - from)}
      {character !== undefined && character !== from && ` ${texts.atCharacter(count(character))}`}
    </mark>
  );
}

function Value({ letter: { value, valueBytes, fault, json } }: { letter: ShownDeadLetter }) {
  const { texts, language } = useWords();
  const [form, setForm] = useState<'text' | 'hex' | 'json'>('text');
  if (value === null) return <p class="notice">{texts.tombstone}</p>;
  const forms = [
    { value: 'text', label: texts.asText },
    { value: 'hex', label: texts.asHex },
    ...(json === undefined ? [] : [{ value: 'json', label: 'JSON' }]),
  ] as const;
  return (
    <Panel title={`${texts.value}: ${plural(language, valueBytes, '# byte|# bytes')}`}>
      <p class="small">{fault ? <FaultLine fault={fault} /> : <span class="soft">{texts.noFault}</span>}</p>
      <Tabs
        label={texts.value}
        tabs={forms}
        value={form}
        controls="value"
        onChange={(next) => setForm(next as typeof form)}
      />
      <div id="value" role="tabpanel">
        {form === 'json' ? (
          <div class="code json">
            <JsonView value={json} open />
          </div>
        ) : (
          <BytesView content={value} fault={fault} form={form} />
        )}
      </div>
    </Panel>
  );
}
