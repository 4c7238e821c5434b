import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Language } from './languages.ts';

/** A page in one language, before it becomes HTML. */
export interface PageSource {
  /**
   * The address below `/docs` and the language's prefix, such as `guides/crawlers`. The start page's address
   * is empty.
   */
  path: string;
  title: string;
  /** One sentence for lists of pages, search results and the page's description. */
  summary: string;
  /** The position among the pages in the same folder, which are otherwise in the order of their paths. */
  order: number;
  /** More words with which the search finds the page. */
  keywords: string;
  markdown: string;
}

const FRONT_MATTER = /^---\n(.*?)\n---\n/s;

/**
 * Reads the pages in a language from `{folder}/{language}/**.md`. `index.md` is the page of its folder.
 * @throws Error if a page has no title or summary
 */
export function readContent(folder: string, language: Language): PageSource[] {
  const root = join(folder, language);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.split(sep).join('/'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(root, name), 'utf8');
      return readPage(name.replace(/(^|\/)index\.md$|\.md$/, ''), text, `${language}/${name}`);
    });
}

/**
 * Reads a page with its front matter: lines of `name: value`.
 * @param name appears in error messages
 */
function readPage(path: string, text: string, name: string): PageSource {
  const [head = '', lines = ''] = FRONT_MATTER.exec(text) ?? [];
  const fields = Object.fromEntries(
    lines.split('\n').map((line) => {
      const [, field = '', value = ''] = /^(\w+): *(.*?) *$/.exec(line) ?? [];
      return [field, value];
    }),
  );
  const { title = '', summary = '', order = '1000', keywords = '' } = fields;
  if (title === '' || summary === '') throw new Error(`${name} needs a title and a summary at its head`);
  return { path, title, summary, order: Number(order), keywords, markdown: text.slice(head.length) };
}
