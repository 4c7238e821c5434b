import { useState } from 'preact/hooks';
import { useTexts } from '../components/preferences.ts';
import type { DeadLetterList, Listed, ListKind, Status } from './api-types.ts';
import { Empty, Failure, Panel, Skeleton } from './Frame.tsx';
import { ListingsTable } from './ListingsTable.tsx';
import { LISTS, listOf, namesOf, onePage, WITH_SOURCE } from './listing-lists.ts';
import { hashOf, type Route } from './route.ts';
import { TEXTS } from './texts.ts';
import { useRead } from './use-read.ts';

const PAGE = 50;

/** The lists of listings that are missing from the feed, or differ from what their sources sent. */
export function Listings({ route: { query }, reasons }: { route: Route; reasons: Status['reasons'] }) {
  const texts = useTexts(TEXTS);
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
        {read.error !== undefined && <Failure message={read.error} again={read.again} />}
        {!page && read.error === undefined && <Skeleton rows={6} />}
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
  const texts = useTexts(TEXTS);
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
      <div class="field">
        <label for="list">{texts.list}</label>
        <select
          id="list"
          value={list}
          onChange={({ currentTarget }) => go({ list: currentTarget.value, name: '' })}
        >
          {LISTS.map((one) => (
            <option key={one} value={one}>
              {texts.lists[one]}
            </option>
          ))}
        </select>
      </div>
      {list !== 'superseded' && (
        <Names list={list} name={query.name} reasons={reasons} go={(name) => go({ name })} />
      )}
      {hasSource && <Search id="source" label={texts.eventSource} value={source} onChange={setSource} />}
      <Search id="containing" label={texts.idContains} value={containing} onChange={setContaining} />
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
  const texts = useTexts(TEXTS);
  const known = namesOf(list, reasons);
  const letters = useRead<DeadLetterList>('dead-letters', known ? undefined : { limit: '1' });
  const names = known ?? Object.keys(letters.value?.byReason ?? {});
  const all = name !== '' && !names.includes(name) ? [name, ...names] : names;
  return (
    <div class="field">
      <label for="name">{list === 'dropped' ? texts.member : texts.reason}</label>
      <select id="name" value={name} onChange={({ currentTarget }) => go(currentTarget.value)}>
        <option value="">{list === 'dropped' ? texts.allMembers : texts.allReasons}</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {list === 'hidden'
              ? (texts.reasons[one] ?? reasons?.[one] ?? one)
              : (texts.letterReasons[one] ?? one)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Search({
  id,
  label,
  value,
  onChange,
}: {
  id: string;
  label: string;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <div class="field grow">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}
