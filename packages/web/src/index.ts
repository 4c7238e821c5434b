export { PAGE_HEADERS, type PageSource, pageShell } from './pages/page-shell.ts';
export { type Guides, readGuides, readWebFiles, type WebFile, type WebFiles } from './pages/web-files.ts';
