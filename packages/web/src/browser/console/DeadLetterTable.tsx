import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { DeadLetterSummary } from './api-types.ts';
import { dateTime } from './formats.ts';
import { hashOf } from './route.ts';
import { ScrollFrame } from './ScrollFrame.tsx';
import { TEXTS } from './texts.ts';

/** Dead letters, each with a link to its bytes. */
export function DeadLetterTable({ letters }: { letters: readonly DeadLetterSummary[] }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  return (
    <ScrollFrame label={texts.deadLetters}>
      <table class="letters">
        <thead>
          <tr>
            <th scope="col">{texts.place}</th>
            <th scope="col">{texts.time}</th>
            <th scope="col">{texts.reason}</th>
            <th scope="col">{texts.key}</th>
            <th scope="col">{texts.detail}</th>
            <th scope="col" class="right">
              {texts.bytes}
            </th>
          </tr>
        </thead>
        <tbody>
          {letters.map(({ ref, time, reason, key, detail, bytes, retried }) => (
            <tr key={ref}>
              <td class="number">
                <a href={hashOf({ view: 'dead-letters', subject: ref })}>{ref}</a>
              </td>
              <td class="number nowrap">{dateTime(time, language)}</td>
              <td>
                <span class="chip bad">{reason}</span> {retried && <span class="chip">{texts.retried}</span>}
              </td>
              <td>{key === null ? '–' : <a href={hashOf({ view: 'explain', subject: key })}>{key}</a>}</td>
              <td class="value">{detail}</td>
              <td class="number right">{count(bytes, language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
