import { STATES } from '@vitrine/feed-index/state-names';
import type { Page } from 'playwright-core';
import { CAPITALS } from '../../../packages/web/src/browser/explorer/filters/capitals.ts';

/**
 * Runs in the page. Code, JSON and the folded original messages of programs are not words of the interface. A link to
 * the same page in English has its own language.
 */
const TEXTS = `() => {
  const texts = new Set();
  const skipped = 'script, style, noscript, code, pre, .json, [translate=no], details [lang=en], a[lang=en], button[lang=en]';
  const add = (text) => text && text.trim() && texts.add(text.trim().replace(/\\s+/g, ' '));
  for (const element of document.querySelectorAll('body, body *')) {
    if (element.closest(skipped)) continue;
    if (!element.checkVisibility() && !element.matches('option')) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) add(element.getAttribute(name));
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) add(node.textContent);
  }
  add(document.title);
  return [...texts];
}`;

/** The texts of a page that people see or hear: text nodes, labels, titles and placeholders. */
export const textsOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(`(${TEXTS})()`);

/** Names, and words that both languages have. */
const NAMES = new Set([
  ...'API Bytes bytes cache Cache Console curl Elasticsearch English Feed fetch Hex Item item JSON Kafka'.split(
    ' ',
  ),
  ...'Feeds HTTP Id JavaScript Latitude Links Longitude MCP Meta OK Python Shell Status Total URI URL Use Vitrine'.split(
    ' ',
  ),
  ...STATES.flatMap(({ code, name }) => [code.toUpperCase(), name]),
  // The starting points of a search.
  ...CAPITALS.map(({ name }) => name),
]);

/** Words that occur in English sentences, but not in Portuguese ones. */
const ENGLISH =
  /(?<![\p{L}_-])(the|and|of|is|are|was|were|be|been|with|without|from|this|that|these|by|has|have|had|which|when|to|in|it|its|or|on|at|an|you|your|not|must|cannot|could|does|their|than|then|there|other|every|each|because|only|show|listings?|records?|results?)(?![\p{L}_-])/iu;

/** Units and abbreviations that both languages have. */
const UNITS = /\b(kB|KiB|MB|MiB|GB|ms|min|km|h|s|BRL|RFC)\b/g;
/** An identifier: one word that contains a digit or a symbol. */
const IDENTIFIER = /^[^\s]*[\d_:/@.#=-][^\s]*$/;

/**
 * Finds untranslated texts on a Portuguese page: those with English words, and those that the English page
 * has too, although they are neither data nor names.
 * @param data the texts of the data, as JSON
 */
export function untranslated(
  portuguese: readonly string[],
  english: readonly string[],
  data: string,
): string[] {
  const inEnglish = new Set(english);
  const isData = (text: string) => data.includes(JSON.stringify(text).slice(1, -1));
  const isName = (part: string) =>
    !/\p{L}{2,}/u.test(part.replace(UNITS, '')) ||
    NAMES.has(part) ||
    part.split(' ').every((word) => IDENTIFIER.test(word)) ||
    isData(part);
  const parts = (text: string) => text.split(/[·–,():…←→×%<>]+/u).map((part) => part.trim());
  return portuguese.filter(
    (text) =>
      !isData(text) &&
      (ENGLISH.test(text) || (inEnglish.has(text) && !parts(text).every((part) => isName(part)))),
  );
}
