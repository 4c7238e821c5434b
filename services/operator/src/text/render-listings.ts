import type { ListingsPage, ListKind, ListQuery } from '../listings/listed.ts';
import { counted, plainTable, printable, shortened } from './plain-text.ts';
import { shellWord } from './shell-word.ts';

/** Column widths that, together with the borders, fit into a line. */
const COLUMNS = [40, 24, 52];
const LONGEST_DETAIL = 300;

const COLUMN_NAMES: Record<ListKind, 'reason' | 'member' | 'source'> = {
  hidden: 'reason',
  dropped: 'member',
  superseded: 'source',
  'dead-letters': 'reason',
};

/** The predicate for one listing, and for several. */
const SENTENCES: Record<ListKind, readonly [one: string, other: string]> = {
  hidden: ['is hidden', 'are hidden'],
  dropped: ['has dropped members', 'have dropped members'],
  superseded: ['has ignored events', 'have ignored events'],
  'dead-letters': ['has dead letters', 'have dead letters'],
};

/** Formats a page of a list: the number of listings, a table, and the command for the next page. Pure. */
export function renderListings(query: ListQuery, limit: number, page: ListingsPage): string {
  const { kind, name, source, containing } = query;
  const { listings, total, next } = page;
  const column = COLUMN_NAMES[kind];
  const filters = [
    ...(name === undefined ? [] : [`${column} ${printable(name)}`]),
    ...(source === undefined ? [] : [`source ${printable(source)}`]),
    ...(containing === undefined ? [] : [`id contains ${printable(JSON.stringify(containing))}`]),
  ];
  const [one, other] = SENTENCES[kind];
  const sentence = total === 0 ? `No listing ${one}` : counted(total, `listing ${one}|listings ${other}`);
  const lines = [`${sentence}${filters.length === 0 ? '' : ` (${filters.join(', ')})`}`];
  if (listings.length > 0)
    lines.push(
      plainTable(
        ['id', column, 'detail'],
        listings.map((one) => [one.id, one[column] ?? '', shortened(one.detail, LONGEST_DETAIL)]),
        { widths: COLUMNS },
      ),
    );
  if (next !== undefined) lines.push(`Next page: ${commandOf(query, limit, next)}`);
  return lines.join('\n');
}

function commandOf({ kind, name, source, containing }: ListQuery, limit: number, after: string): string {
  const option = (flag: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${flag}=${shellWord(String(value))}`];
  const words = [
    name === undefined ? `--${kind}` : `--${kind}=${name}`,
    ...option('source', source),
    ...option('containing', containing),
    ...option('limit', limit),
    ...option('after', after),
  ];
  return `npm run cli -- listings ${words.join(' ')}`;
}
