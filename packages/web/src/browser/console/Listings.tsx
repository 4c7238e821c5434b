import { useState } from 'preact/hooks';
import type { DeadLetterList, Listed, ListKind, Status } from './api-types.ts';
import { Choice, RequestForm, TextField } from './Fields.tsx';
import { Empty, Loaded, Panel } from './Frame.tsx';
import { LISTS, listOf, namesOf, onePage, WITH_SOURCE } from './listing-lists.ts';
import { hashOf, type Route } from './route.ts';
import { Table } from './Table.tsx';
import { useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

const PAGE = 50;

type Query = Route['query'];
type Reasons = Status['reasons'];
const hrefOf = (query: Query) => hashOf({ view: 'listings', query });

/** The lists of listings that are missing from the feed, or differ from what their sources sent. */
export function Listings({ route: { query }, reasons }: { route: Route; reasons: Reasons }) {
  const { texts } = useWords();
  const list = listOf(query.list);
  const { name, containing, after } = query;
  const source = WITH_SOURCE.includes(list) ? query.source : undefined;
  const limit = String(PAGE + 1);
  const read = useRead<Listed[]>('listings', { list, name, source, containing, after, limit });
  const next = read.value && onePage(read.value, PAGE).next;
  const links = [
    [texts.firstPage, after && ''],
    [texts.nextPage, next],
  ] as const;
  return (
    <>
      <Filters query={query} list={list} reasons={reasons} isBusy={read.isLoading} />
      <Panel title={texts.lists[list]}>
        <p class="soft">{texts.listHints[list]}</p>
        <Loaded read={read} rows={6}>
          {(entries) =>
            entries.length === 0 ? (
              <Empty title={texts.emptyList} />
            ) : (
              <Entries list={list} entries={onePage(entries, PAGE).shown} />
            )
          }
        </Loaded>
        {(after || next !== undefined) && (
          <nav class="row" aria-label={texts.pages}>
            {links.map(
              ([label, position]) =>
                position !== undefined && (
                  <a key={label} class="button" href={hrefOf({ ...query, list, after: position })}>
                    {label}
                  </a>
                ),
            )}
          </nav>
        )}
      </Panel>
    </>
  );
}

interface FiltersProps {
  query: Query;
  list: ListKind;
  reasons: Reasons;
  isBusy: boolean;
}

/** A change to the list or to a filter leads back to the first page. */
function Filters({ query, list, reasons, isBusy }: FiltersProps) {
  const { texts } = useWords();
  const [containing, setContaining] = useState(query.containing ?? '');
  const [source, setSource] = useState(query.source ?? '');
  const hasSource = WITH_SOURCE.includes(list);
  const go = (change: Query) => {
    const { after: _, ...filters } = query;
    const typed = { containing: containing.trim(), source: hasSource ? source.trim() : '' };
    location.hash = hrefOf({ ...filters, ...typed, list, ...change });
  };
  return (
    <RequestForm button={texts.filter} isBusy={isBusy} onSubmit={() => go({})}>
      <Choice
        id="list"
        label={texts.list}
        value={list}
        options={LISTS.map((one) => [one, texts.lists[one]])}
        onChange={(chosen) => go({ list: chosen, name: '' })}
      />
      {list !== 'superseded' && (
        <Names list={list} name={query.name ?? ''} reasons={reasons} go={(name) => go({ name })} />
      )}
      {hasSource && <TextField id="source" label={texts.eventSource} value={source} onChange={setSource} />}
      <TextField id="containing" label={texts.idContains} value={containing} onChange={setContaining} />
    </RequestForm>
  );
}

interface NamesProps {
  list: ListKind;
  name: string;
  reasons: Reasons;
  go(name: string): void;
}

function Names({ list, name, reasons, go }: NamesProps) {
  const { texts, letterReason } = useWords();
  const known = namesOf(list, reasons);
  const letters = useRead<DeadLetterList>('dead-letters', known ? undefined : { limit: '1' });
  const names = known ?? Object.keys(letters.value?.byReason ?? {});
  const all = name !== '' && !names.includes(name) ? [name, ...names] : names;
  const isDropped = list === 'dropped';
  const nameOf = (one: string) =>
    list === 'hidden' ? (texts.reasons[one] ?? reasons?.[one] ?? one) : letterReason(one);
  return (
    <Choice
      id="name"
      label={isDropped ? texts.member : texts.reason}
      value={name}
      options={[
        ['', isDropped ? texts.allMembers : texts.allReasons],
        ...all.map((one) => [one, nameOf(one)] as const),
      ]}
      onChange={go}
    />
  );
}

/** The entries of a list, each with a link to its listing's explanation. */
function Entries({ list, entries }: { list: ListKind; entries: readonly Listed[] }) {
  const { texts, language, letterReason } = useWords();
  const wordOf = (code: string) => texts.reasons[code] ?? letterReason(code);
  const whatOf = ({ reason, member, source }: Listed) => reason ?? member ?? source ?? '';
  const rowsOf = (entry: Listed) =>
    list === 'dead-letters'
      ? hashOf({ view: 'dead-letters', query: { key: entry.id } })
      : hrefOf({ list, name: whatOf(entry) });
  const translated = ({ member, source, ...entry }: Listed) =>
    member ? texts.droppedTexts[member] : source ? texts.ignoredBecause : wordOf(whatOf(entry));
  const column = list === 'dropped' ? texts.member : list === 'superseded' ? texts.eventSource : texts.reason;
  return (
    <Table
      label={texts.lists[list]}
      class="listings"
      rows={entries}
      keyOf={(entry) => `${entry.id} ${whatOf(entry)}`}
      columns={[
        [texts.listingId, ({ id }) => <a href={hashOf({ view: 'explain', subject: id })}>{id}</a>, 'value'],
        [
          column,
          (entry) =>
            entry.source === undefined ? (
              <a class="chip" href={rowsOf(entry)}>
                {entry.member ?? wordOf(whatOf(entry))}
              </a>
            ) : (
              <code class="value">{entry.source}</code>
            ),
        ],
        [texts.detail, (entry) => (language === 'en' ? entry.detail : translated(entry)), 'value'],
      ]}
    />
  );
}
