import MiniSearch, { type Options } from 'minisearch';

/** A passage of a page, as the search stores it. */
export interface SearchEntry {
  id: number;
  /** The address below `/docs`, with a fragment. */
  url: string;
  title: string;
  /** The passage's heading. It is empty for the text at the head of a page. */
  heading: string;
  text: string;
  /**
   * More words with which the search finds the page: its keywords, and the same headings in the main
   * language.
   */
  words: string;
  /** The text of the same passage in the main language, for readers who search in that language. */
  original: string;
}

/** `RateLimit` is also found as `rate limit`. */
const withParts = (word: string): string[] => {
  const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u);
  return parts.length > 1 ? [word, ...parts] : [word];
};

/** A limit that depends on the service's settings. Each page contains its value. */
export const LIMIT = /%N:(\w+)%/g;

/** The options for an index. The build writes the index, and the browser reads it. */
export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text', 'words', 'original'],
  storeFields: ['url', 'title', 'heading', 'text'],
  tokenize: (text) =>
    text
      .replace(LIMIT, ' ')
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
      .flatMap(withParts),
  // A search without diacritics finds the words with them.
  processTerm: (term) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
  searchOptions: {
    boost: { heading: 4, title: 3, words: 2, original: 0.5 },
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    combineWith: 'AND',
  },
};

/** Writes a language's index as JSON. */
export function searchIndex(entries: readonly SearchEntry[]): string {
  const index = new MiniSearch(SEARCH_OPTIONS);
  index.addAll(entries);
  return JSON.stringify(index);
}
