import type { Explanation } from './api-types.ts';
import { Empty, Panel } from './Frame.tsx';
import { versionText } from './formats.ts';
import { Table } from './Table.tsx';
import { useWords } from './use-words.ts';

/** The events of a listing that the topic still holds. */
export function History({ history: { total, newest } }: { history: NonNullable<Explanation['history']> }) {
  const { texts, count, dateTime, letterReason } = useWords();
  return (
    <Panel title={texts.historyTitle} aside={<span class="small soft">{texts.historyCount(total)}</span>}>
      {newest.length === 0 ? (
        <Empty title={texts.historyEmpty} />
      ) : (
        <Table
          label={texts.historyTitle}
          columns={[
            texts.writtenAt,
            texts.event,
            texts.version,
            texts.eventTime,
            texts.field,
            texts.inEffect,
            texts.place,
          ]}
          numbers={2}
        >
          {newest.map(
            ({ partition, offset, at, kind, version, time, fields = [], dates, reason, inEffect }) => (
              <tr key={`${partition}:${offset}`}>
                <td class="number nowrap">{at ? dateTime(at) : '–'}</td>
                <td>
                  <span class={kind === 'refused' ? 'chip bad' : 'chip'}>
                    {reason === undefined ? (texts.eventKinds[kind] ?? kind) : letterReason(reason)}
                  </span>
                </td>
                <td class="number right nowrap">
                  {version === undefined ? '–' : versionText(version, texts)}
                </td>
                <td class="number nowrap">{time ? dateTime(time) : '–'}</td>
                <td>
                  <span translate={false}>{fields.join(', ')}</span>
                  {fields.length > 0 && dates !== undefined && ', '}
                  {dates !== undefined && `${texts.calendar}: ${count(dates)}`}
                  {fields.length === 0 && dates === undefined && '–'}
                </td>
                <td translate={false}>
                  {inEffect === undefined ? '–' : inEffect.join(', ') || texts.nothing}
                </td>
                <td class="number nowrap">
                  {partition}:{offset}
                </td>
              </tr>
            ),
          )}
        </Table>
      )}
    </Panel>
  );
}
