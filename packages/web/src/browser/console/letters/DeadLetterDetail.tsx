import { useState } from 'preact/hooks';
import { count } from '../../components/format.ts';
import { JsonView } from '../../components/JsonView.tsx';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { Tabs } from '../../components/Tabs.tsx';
import type { ConsoleState, Content, ShownDeadLetter } from '../api-types.ts';
import { BytesView } from '../BytesView.tsx';
import { Failure, Panel, Skeleton } from '../Frame.tsx';
import { dateTime } from '../formats.ts';
import { JobList } from '../JobList.tsx';
import { Original } from '../Original.tsx';
import { hashOf } from '../route.ts';
import { TEXTS } from '../texts.ts';
import { useRead } from '../use-read.ts';
import { CauseName } from './CauseTable.tsx';
import { DryRun } from './DeadLetterTable.tsx';
import { LetterActions } from './LetterActions.tsx';
import { lastEnded, type Refusals, Standing, useRefusals } from './Standing.tsx';

/** One dead letter: why it was refused, and its bytes. @param position `partition:offset` */
export function DeadLetterDetail({
  position,
  state,
  refresh,
}: {
  position: string;
  state: ConsoleState;
  refresh(): void;
}) {
  const texts = useTexts(TEXTS);
  const { value, error, again } = useRead<ShownDeadLetter>(
    'dead-letters/show',
    { ref: position },
    lastEnded(state.jobs),
  );
  const refusal = useRefusals(state.jobs).get(position);
  const [isTrying, setTrying] = useState(false);
  return (
    <>
      <p>
        <a class="link" href={hashOf({ view: 'dead-letters' })}>
          ← {texts.back}
        </a>
      </p>
      {error !== undefined && <Failure message={error} again={again} />}
      {!value && error === undefined && <Skeleton rows={5} />}
      {value && (
        <>
          <Panel
            title={`${texts.deadLetter} ${value.ref}`}
            aside={
              <span class="row">
                {value.retryable && (
                  <button type="button" class="button" onClick={() => setTrying(true)}>
                    {texts.dryRun}
                  </button>
                )}
                {state.allowActions && (
                  <LetterActions
                    state={state}
                    position={value.ref}
                    canRetry={value.retryable}
                    refresh={refresh}
                  />
                )}
              </span>
            }
          >
            {isTrying && <DryRun query={{ ref: position }} />}
            <Facts letter={value} refusal={refusal} />
          </Panel>
          <Value letter={value} />
        </>
      )}
      {state.allowActions && state.jobs.length > 0 && <JobList jobs={state.jobs} />}
    </>
  );
}

function Facts({ letter, refusal }: { letter: ShownDeadLetter; refusal: ReturnType<Refusals['get']> }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { reason, detail, time, key, origin, cause, headers } = letter;
  return (
    <dl class="facts wide">
      <div>
        <dt>{texts.reason}</dt>
        <dd>
          <span class="chip bad">{texts.letterReasons[reason] ?? reason}</span>
          <Standing letter={letter} refusal={refusal} />
        </dd>
      </div>
      <div>
        <dt>{texts.cause}</dt>
        <dd>
          <a href={hashOf({ view: 'dead-letters', query: { cause: cause.id } })}>
            <CauseName cause={cause} id={cause.id} />
          </a>
        </dd>
      </div>
      <div>
        <dt>{texts.detail}</dt>
        <dd>{detail ? <Original text={detail} /> : '–'}</dd>
      </div>
      <div>
        <dt>{texts.key}</dt>
        <dd>{key === null ? '–' : <a href={hashOf({ view: 'explain', subject: key })}>{key}</a>}</dd>
      </div>
      <div>
        <dt>{texts.time}</dt>
        <dd class="number">{dateTime(time, language)}</dd>
      </div>
      <div>
        <dt>{texts.origin}</dt>
        <dd class="number">
          {origin.topic} {origin.partition}:{origin.offset}
        </dd>
      </div>
      {Object.keys(headers).length > 0 && (
        <div>
          <dt>{texts.headers}</dt>
          <dd>
            <dl class="headers">
              {Object.entries(headers).flatMap(([name, header]) =>
                [header].flat().map((one, i) => (
                  <div key={`${name} ${i}`} class="header-line">
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
          </dd>
        </div>
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
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { from, to, character, isEnd } = fault;
  const number = (value: number) => count(value, language);
  if (isEnd) return <mark>{texts.endsAt(number(to), number(character ?? to))}</mark>;
  return (
    <mark>
      {texts.faultAt(number(from), to - from)}
      {character !== undefined && character !== from && ` ${texts.atCharacter(number(character))}`}
    </mark>
  );
}

function Value({ letter: { value, valueBytes, fault, json } }: { letter: ShownDeadLetter }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const [form, setForm] = useState<'text' | 'hex' | 'json'>('text');
  if (value === null) return <p class="notice">{texts.tombstone}</p>;
  const forms = [
    { value: 'text', label: texts.asText },
    { value: 'hex', label: texts.asHex },
    ...(json === undefined ? [] : [{ value: 'json', label: 'JSON' }]),
  ] as const;
  return (
    <Panel title={`${texts.value}: ${count(valueBytes, language)} ${texts.bytes.toLowerCase()}`}>
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
