import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { Explanation } from './api-types.ts';
import { Empty, Panel, ScrollFrame } from './Frame.tsx';
import { dateTime, versionText } from './formats.ts';
import { TEXTS } from './texts.ts';

/** The events of a listing that the topic still holds. */
export function History({ history: { total, newest } }: { history: NonNullable<Explanation['history']> }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  return (
    <Panel title={texts.historyTitle} aside={<span class="small soft">{texts.historyCount(total)}</span>}>
      {newest.length === 0 ? (
        <Empty title={texts.historyEmpty} />
      ) : (
        <ScrollFrame label={texts.historyTitle}>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.writtenAt}</th>
                <th scope="col">{texts.event}</th>
                <th scope="col" class="right">
                  {texts.version}
                </th>
                <th scope="col">{texts.eventTime}</th>
                <th scope="col">{texts.field}</th>
                <th scope="col">{texts.inEffect}</th>
                <th scope="col">{texts.place}</th>
              </tr>
            </thead>
            <tbody>
              {newest.map(
                ({ partition, offset, at, kind, version, time, fields = [], dates, reason, inEffect }) => (
                  <tr key={`${partition}:${offset}`}>
                    <td class="number nowrap">{at ? dateTime(at, language) : '–'}</td>
                    <td>
                      <span class={kind === 'refused' ? 'chip bad' : 'chip'}>
                        {reason === undefined
                          ? (texts.eventKinds[kind] ?? kind)
                          : (texts.letterReasons[reason] ?? reason)}
                      </span>
                    </td>
                    <td class="number right nowrap">
                      {version === undefined ? '–' : versionText(version, texts)}
                    </td>
                    <td class="number nowrap">{time ? dateTime(time, language) : '–'}</td>
                    <td>
                      <span translate={false}>{fields.join(', ')}</span>
                      {fields.length > 0 && dates !== undefined && ', '}
                      {dates !== undefined && `${texts.calendar}: ${count(dates, language)}`}
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
            </tbody>
          </table>
        </ScrollFrame>
      )}
    </Panel>
  );
}
