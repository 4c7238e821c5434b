import { useState } from 'preact/hooks';
import { count } from '../components/format.ts';
import { JsonView } from '../components/JsonView.tsx';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { Tabs } from '../components/Tabs.tsx';
import { ActionButton } from './ActionButton.tsx';
import type { ConsoleState, ShownDeadLetter } from './api-types.ts';
import { BytesView } from './BytesView.tsx';
import { DryRun } from './DeadLetterTable.tsx';
import { Failure, Panel, Skeleton } from './Frame.tsx';
import { dateTime } from './formats.ts';
import { JobList } from './JobList.tsx';
import { hashOf } from './route.ts';
import { TEXTS } from './texts.ts';
import { isBusy } from './use-console.ts';
import { useRead } from './use-read.ts';

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
  const { value, error, again } = useRead<ShownDeadLetter>('dead-letters/show', { ref: position });
  const [isTrying, setTrying] = useState(false);
  return (
    <>
      <p>
        <a href={hashOf({ view: 'dead-letters' })}>← {texts.back}</a>
      </p>
      {error !== undefined && <Failure message={error} again={again} />}
      {!value && error === undefined && <Skeleton rows={5} />}
      {value && (
        <>
          <Panel
            title={`${texts.deadLetter} ${value.ref}`}
            aside={
              value.retryable && (
                <span class="row">
                  <button type="button" class="button" onClick={() => setTrying(true)}>
                    {texts.dryRun}
                  </button>
                  {state.allowActions && (
                    <ActionButton
                      action="retry"
                      args={{ ref: value.ref }}
                      command={`dead-letters retry ${value.ref}`}
                      effect={`${texts.deadLetter} ${value.ref}`}
                      disabled={isBusy(state)}
                      onStarted={refresh}
                    />
                  )}
                </span>
              )
            }
          >
            {isTrying && <DryRun query={{ ref: position }} />}
            <Facts letter={value} />
          </Panel>
          <Value letter={value} />
        </>
      )}
      {state.allowActions && state.jobs.length > 0 && <JobList jobs={state.jobs} />}
    </>
  );
}

function Facts({ letter }: { letter: ShownDeadLetter }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const { reason, detail, time, key, origin, retried, headers } = letter;
  return (
    <dl class="facts wide">
      <div>
        <dt>{texts.reason}</dt>
        <dd>
          <span class="chip bad">{texts.letterReasons[reason] ?? reason}</span>{' '}
          {retried && <span class="chip">{texts.retried}</span>}
        </dd>
      </div>
      <div>
        <dt>{texts.detail}</dt>
        <dd lang="en">{detail || '–'}</dd>
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
          <dd class="json">
            <JsonView value={headers} open />
          </dd>
        </div>
      )}
    </dl>
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
      <p class="small">
        {fault ? (
          <mark>{texts.faultAt(count(fault.from, language), count(fault.to - fault.from, language))}</mark>
        ) : (
          <span class="soft">{texts.noFault}</span>
        )}
      </p>
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
