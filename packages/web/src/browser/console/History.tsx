import type { Explanation } from './api-types.ts';
import { Empty, Panel } from './Frame.tsx';
import { versionText } from './formats.ts';
import { Table } from './Table.tsx';
import { useWords } from './use-words.ts';

/** The listing's events that the topic still holds. */
export function History({ history: { total, newest } }: { history: NonNullable<Explanation['history']> }) {
  const { texts, count, dateTime, letterReason } = useWords();
  const time = 'number nowrap';
  return (
    <Panel title={texts.historyTitle} aside={<span class="small soft">{texts.historyCount(total)}</span>}>
      {newest.length === 0 ? (
        <Empty title={texts.historyEmpty} />
      ) : (
        <Table
          label={texts.historyTitle}
          rows={newest}
          keyOf={({ partition, offset }) => `${partition}:${offset}`}
          columns={[
            [texts.writtenAt, ({ at }) => dateTime(at), time],
            [
              texts.event,
              ({ kind, reason }) => (
                <span class={kind === 'refused' ? 'chip bad' : 'chip'}>
                  {reason === undefined ? (texts.eventKinds[kind] ?? kind) : letterReason(reason)}
                </span>
              ),
            ],
            [
              texts.version,
              ({ version }) => (version === undefined ? '–' : versionText(version, texts)),
              'number right nowrap',
            ],
            [texts.eventTime, ({ time: sent }) => dateTime(sent), time],
            [
              texts.field,
              ({ fields = [], dates }) => (
                <>
                  <span translate={false}>{fields.join(', ')}</span>
                  {fields.length > 0 && dates !== undefined && ', '}
                  {dates !== undefined && `${texts.calendar}: ${count(dates)}`}
                  {fields.length === 0 && dates === undefined && '–'}
                </>
              ),
            ],
            [
              texts.inEffect,
              ({ inEffect }) => (
                <span translate={false}>
                  {inEffect === undefined ? '–' : inEffect.join(', ') || texts.nothing}
                </span>
              ),
            ],
            [texts.place, ({ partition, offset }) => `${partition}:${offset}`, time],
          ]}
        />
      )}
    </Panel>
  );
}
