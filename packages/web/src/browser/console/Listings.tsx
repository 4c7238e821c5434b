import { useState } from 'preact/hooks';
import type { DeadLetterList, Listed, ListKind, Status } from './api-types.ts';
import { Choice, TextField } from './Fields.tsx';
import { Empty, Loaded, Panel } from './Frame.tsx';
import { ListingsTable } from './ListingsTable.tsx';
import { LISTS, listOf, namesOf, onePage, WITH_SOURCE } from './listing-lists.ts';
import { hashOf, type Route } from './route.ts';
import { useRead } from './use-read.ts';
import { useWords } from './use-words.ts';

const PAGE = 50;

/** The lists of listings that are missing from the feed, or differ from what their sources sent. */
export function Listings({ route: { query }, reasons }: { route: Route; reasons: Status['reasons'] }) {
  const { texts } = useWords();
  const list = listOf(query.list);
  const { name, containing, after } = query;
  const source = WITH_SOURCE.includes(list) ? query.source : undefined;
  const read = useRead<Listed[]>('listings', {
    list,
    name,
    source,
    containing,
    after,
    limit: String(PAGE + 1),
  });
  const page = read.value && onePage(read.value, PAGE);
  const at = (position: string) => hashOf({ view: 'listings', query: { ...query, list, after: position } });
  return (
    <>
      <Filters query={query} list={list} reasons={reasons} />
      <Panel title={texts.lists[list]}>
        <p class="soft">{texts.listHints[list]}</p>
        <Loaded read={read} rows={6} />
        {page && page.shown.length === 0 && <Empty title={texts.emptyList} />}
        {page && page.shown.length > 0 && <ListingsTable list={list} entries={page.shown} />}
        {page && (after || page.next !== undefined) && (
          <nav class="row" aria-label={texts.pages}>
            {after && (
              <a class="button" href={at('')}>
                {texts.firstPage}
              </a>
            )}
            {page.next !== undefined && (
              <a class="button" href={at(page.next)}>
                {texts.nextPage}
              </a>
            )}
          </nav>
        )}
      </Panel>
    </>
  );
}

/** A change of the list or of a filter begins at the first page. */
function Filters({
  query,
  list,
  reasons,
}: {
  query: Route['query'];
  list: ListKind;
  reasons: Status['reasons'];
}) {
  const { texts } = useWords();
  const [containing, setContaining] = useState(query.containing ?? '');
  const [source, setSource] = useState(query.source ?? '');
  const hasSource = WITH_SOURCE.includes(list);
  const go = (change: Record<string, string>) => {
    const { after: _, ...filters } = query;
    const typed = { containing: containing.trim(), source: hasSource ? source.trim() : '' };
    location.hash = hashOf({ view: 'listings', query: { ...filters, ...typed, list, ...change } });
  };
  return (
    <form
      class="card row filters"
      onSubmit={(event) => {
        event.preventDefault();
        go({});
      }}
    >
      <Choice
        id="list"
        label={texts.list}
        value={list}
        options={LISTS.map((one) => [one, texts.lists[one]])}
        onChange={(chosen) => go({ list: chosen, name: '' })}
      />
      {list !== 'superseded' && (
        <Names list={list} name={query.name} reasons={reasons} go={(name) => go({ name })} />
      )}
      {hasSource && <TextField id="source" label={texts.eventSource} value={source} onChange={setSource} />}
      <TextField id="containing" label={texts.idContains} value={containing} onChange={setContaining} />
      <button type="submit" class="button">
        {texts.filter}
      </button>
    </form>
  );
}

function Names({
  list,
  name = '',
  reasons,
  go,
}: {
  list: ListKind;
  name: string | undefined;
  reasons: Status['reasons'];
  go(name: string): void;
}) {
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
