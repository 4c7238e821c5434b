import MiniSearch, { type SearchResult } from 'minisearch';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LIMIT, SEARCH_OPTIONS, type SearchEntry } from '../../site/search-index.ts';
import { useTexts } from '../components/preferences.ts';

const TEXTS = {
  en: {
    label: 'Search the documentation',
    placeholder: 'Search',
    none: 'Nothing found. Try fewer or other words.',
    failed: 'The search could not be loaded. Reload the page.',
    results: 'Results',
  },
  'pt-BR': {
    label: 'Pesquisar na documentação',
    placeholder: 'Pesquisar',
    none: 'Nada encontrado. Tente menos palavras ou outras.',
    failed: 'Não foi possível carregar a pesquisa. Recarregue a página.',
    results: 'Resultados',
  },
};
const MAX_RESULTS = 12;

type Found = SearchResult & Pick<SearchEntry, 'url' | 'title' | 'heading' | 'text'>;

let loading: Promise<MiniSearch<SearchEntry>> | undefined;
/** Loads the index once, when the visitor first uses the search. A failed attempt may be repeated. */
function loadIndex(url: string): Promise<MiniSearch<SearchEntry>> {
  loading ??= fetch(url)
    .then((response) => {
      if (!response.ok) throw new Error(`the index has the status ${response.status}`);
      return response.text();
    })
    .then((json) => MiniSearch.loadJSON<SearchEntry>(json, SEARCH_OPTIONS));
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

/** The search field of every page, with its results below it. `/` moves the focus to it. */
export function Search({ index, base }: { index: string; base: string }) {
  const texts = useTexts(TEXTS);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLElement>(null);
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<Found[] | 'failed'>([]);
  const [isOpen, setOpen] = useState(false);

  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = (event.target as HTMLElement).matches('input, select, textarea, [contenteditable]');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);

  useEffect(() => {
    if (query.trim() === '') return setFound([]);
    let isCurrent = true;
    loadIndex(index).then(
      (loaded) => {
        if (!isCurrent) return;
        const all = loaded.search(query);
        const results = all.length > 0 ? all : loaded.search(query, { combineWith: 'OR' });
        setFound(results.slice(0, MAX_RESULTS) as Found[]);
      },
      () => isCurrent && setFound('failed'),
    );
    return () => {
      isCurrent = false;
    };
  }, [query]);

  /** Moves the focus through the field and the results. */
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setOpen(false);
      input.current?.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const stops = [input.current, ...(list.current?.querySelectorAll('a') ?? [])];
    stops[stops.indexOf(document.activeElement as HTMLAnchorElement) + step]?.focus();
  };
  const first = Array.isArray(found) ? found[0] : undefined;
  const isEmpty = query.trim() !== '' && first === undefined;
  return (
    <search
      onKeyDown={move}
      onFocusOut={({ currentTarget, relatedTarget }) =>
        currentTarget.contains(relatedTarget as Node | null) || setOpen(false)
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (first) location.href = base + first.url;
        }}
      >
        <input
          ref={input}
          type="search"
          aria-label={texts.label}
          placeholder={texts.placeholder}
          autoComplete="off"
          value={query}
          onFocus={() => {
            setOpen(true);
            loadIndex(index).catch(() => undefined);
          }}
          onInput={({ currentTarget }) => {
            setOpen(true);
            setQuery(currentTarget.value);
          }}
        />
      </form>
      {isOpen && query.trim() !== '' && (
        <section class="found" ref={list} aria-label={texts.results}>
          {Array.isArray(found) && (
            <ol>
              {found.map((entry) => (
                <li key={entry.id}>
                  <a href={base + entry.url} onClick={() => setOpen(false)}>
                    <span class="small soft">{entry.title}</span>
                    <strong>{entry.heading || entry.title}</strong>
                    <span class="small soft excerpt">{excerpt(entry)}</span>
                  </a>
                </li>
              ))}
            </ol>
          )}
          {isEmpty && <p role="status">{found === 'failed' ? texts.failed : texts.none}</p>}
        </section>
      )}
    </search>
  );
}

/** This is more text than fits on the lines that the style sheet shows. */
const EXCERPT = 300;
const BEFORE = 60;

/** The part of a text around the first word that matches. */
function excerpt({ text, match }: Found): string {
  const limits = JSON.parse(document.documentElement.dataset['limits'] ?? '{}') as Record<string, string>;
  const filled = text.replace(LIMIT, (_, name: string) => limits[name] ?? '');
  const plain = filled.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const places = Object.keys(match).map((word) => plain.indexOf(word));
  const at = Math.min(...places.filter((place) => place >= 0));
  if (!Number.isFinite(at) || at < BEFORE) return filled.slice(0, EXCERPT);
  const start = filled.indexOf(' ', at - BEFORE) + 1;
  return `… ${filled.slice(start, start + EXCERPT)}`;
}
