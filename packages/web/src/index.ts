export { PAGE_HEADERS, type PageSource, pageHeaders, pageShell } from './pages/page-shell.ts';
export { readAsyncApi, readSite, readWebFiles, type WebFile, type WebFiles } from './pages/web-files.ts';
