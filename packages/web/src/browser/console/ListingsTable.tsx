import type { Listed, ListKind } from './api-types.ts';
import { hashOf } from './route.ts';
import { Table } from './Table.tsx';
import { useWords } from './use-words.ts';

const rowsOf = (key: string) => ({ view: 'dead-letters', query: { key } }) as const;
const listOf = (list: ListKind, name: string) => ({ view: 'listings', query: { list, name } }) as const;

/** Entries of a list, each with a link to the explanation of its listing. */
export function ListingsTable({ list, entries }: { list: ListKind; entries: readonly Listed[] }) {
  const { texts, language, letterReason } = useWords();
  const wordOf = (code: string) => texts.reasons[code] ?? letterReason(code);
  const column = list === 'dropped' ? texts.member : list === 'superseded' ? texts.eventSource : texts.reason;
  return (
    <Table label={texts.lists[list]} class="listings" columns={[texts.listingId, column, texts.detail]}>
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
    </Table>
  );
}
