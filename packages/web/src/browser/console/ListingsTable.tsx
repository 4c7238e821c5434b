import { usePreferences, useTexts } from '../components/preferences.ts';
import type { Listed, ListKind } from './api-types.ts';
import { ScrollFrame } from './Frame.tsx';
import { hashOf } from './route.ts';
import { TEXTS } from './texts.ts';

const rowsOf = (key: string) => ({ view: 'dead-letters', query: { key } }) as const;
const listOf = (list: ListKind, name: string) => ({ view: 'listings', query: { list, name } }) as const;

/** Entries of a list, each with a link to the explanation of its listing. */
export function ListingsTable({ list, entries }: { list: ListKind; entries: readonly Listed[] }) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const wordOf = (code: string) => texts.reasons[code] ?? texts.letterReasons[code] ?? code;
  const column = list === 'dropped' ? texts.member : list === 'superseded' ? texts.eventSource : texts.reason;
  return (
    <ScrollFrame label={texts.lists[list]}>
      <table class="listings">
        <thead>
          <tr>
            <th scope="col">{texts.listingId}</th>
            <th scope="col">{column}</th>
            <th scope="col">{texts.detail}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, reason, member, source, detail }) => {
            const what = reason ?? member ?? source ?? '';
            const translated =
              member !== undefined
                ? texts.droppedTexts[member]
                : source !== undefined
                  ? texts.ignoredBecause
                  : wordOf(what);
            return (
              <tr key={`${id} ${what}`}>
                <td class="value">
                  <a href={hashOf({ view: 'explain', subject: id })}>{id}</a>
                </td>
                <td>
                  {source === undefined ? (
                    <a class="chip" href={hashOf(list === 'dead-letters' ? rowsOf(id) : listOf(list, what))}>
                      {member === undefined ? wordOf(what) : what}
                    </a>
                  ) : (
                    <code class="value">{what}</code>
                  )}
                </td>
                <td class="value detail">{language === 'en' ? detail : translated}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
