export type { Language } from './browser/components/language.ts';
export { bilingual } from './browser/components/words/glossary.ts';
export { plural } from './browser/components/words/words.ts';
export { cardFacts, isWebAddress } from './browser/explorer/detail/listing-facts.ts';
export { selectionOf, withSelection } from './browser/explorer/detail/selection.ts';
export type { FeedItem } from './browser/explorer/feed-item.ts';
export { replaceNames } from './browser/explorer/names.ts';
export { queryOf, requestPath, type SearchState, stateOf } from './browser/explorer/search-state.ts';
export { pageTitle, viewTitle } from './browser/explorer/view-title.ts';
export { escapeHtml, PAGE_HEADERS, type PageSource, pageHeaders, pageShell } from './pages/page-shell.ts';
export { readAsyncApi, readSite, readWebFiles, type WebFile, type WebFiles } from './pages/web-files.ts';
export type {
  Header,
  JsonSchema,
  OpenApi,
  Operation,
  Parameter,
  Reference,
  Response,
} from './site/openapi-document.ts';
