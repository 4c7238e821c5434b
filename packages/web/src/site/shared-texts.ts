import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import GithubSlugger from 'github-slugger';
import type { PageSource } from './content.ts';
import { type Language, MAIN_LANGUAGE, type SiteTexts } from './languages.ts';
import type { OpenApi } from './openapi-document.ts';
import { exampleText } from './reference.ts';

const RULES: Record<Language, string> = {
  en: 'docs/reference/rules.md',
  'pt-BR': 'docs/reference/rules.pt-BR.md',
};

/** Reads a file that packages/web/build.mjs lists in SHARED. @param content the folder of the pages */
const read = (content: string, path: string): string =>
  readFileSync(join(content, '../../../..', path), 'utf8');

/** The translations of the OpenAPI document's texts, line by line. */
export const readTranslations = (content: string, language: Language): Record<string, string> =>
  language === MAIN_LANGUAGE
    ? {}
    : (JSON.parse(read(content, 'docs/reference/interfaces/openapi.pt-BR.json')) as Record<string, string>);

/**
 * Replaces each empty example that names a program (` ```js docs/clients/crawl-by-cursor.mjs `) with the program, whose
 * comments then name the running service.
 */
export const withPrograms = (content: string, markdown: string): string =>
  markdown.replace(
    /^```(\w+) (\S+)\n```$/gm,
    (_, language: string, path: string) =>
      `\`\`\`${language}\n${read(content, path).trimEnd().replaceAll('http://localhost:8080/api', '%FEEDS%')}\n\`\`\``,
  );

const SECTION = /^## (.+) \{#([\w-]+)\}\n(.+)\n([\s\S]*)$/;

/**
 * Divides the page of all errors into a page per problem type, with the example from the OpenAPI document,
 * and an overview of them. `## Title {#type}` begins a type. The next line is its summary.
 * @throws Error if the OpenAPI document has no such type
 */
export function errorPages(all: PageSource, { components }: OpenApi, texts: SiteTexts): PageSource[] {
  const [introduction = '', ...sections] = all.markdown.split(/^(?=## )/m);
  const pages = sections.map((section) => {
    const [, title = '', type = '', summary = '', text = ''] = SECTION.exec(section) ?? [];
    const { value } = components.examples[type] ?? {};
    if (value === undefined) throw new Error(`the OpenAPI document has no example of the problem "${type}"`);
    const order = (value as { status: number }).status;
    const example = `\`\`\`json\n${exampleText(value)}\n\`\`\``;
    const markdown = `${text.replaceAll('\n**', '\n\n**')}\n## ${texts.example} {#example}\n\n${example}\n`;
    return { path: `errors/${type}`, title, summary, order, keywords: `${order} ${type}`, markdown };
  });
  pages.sort((one, other) => one.order - other.order);
  const rows = pages.map(
    ({ path, title, summary, order }) => `| ${order} | [${title}](%DOCS%/${path}) | ${summary} |`,
  );
  const table = [`| HTTP | ${texts.problem} | ${texts.meaning} |`, '|---|---|---|', ...rows];
  return [{ ...all, markdown: `${introduction}${table.join('\n')}\n` }, ...pages];
}

/** The site's pages that replace pages in the repository. Other links are replaced by their text. */
const PAGES: Record<string, string> = {
  'agents.md': 'guides/agents',
  '../guide/changes.md': 'guides/changes',
};

const slugsOf = (markdown: string): string[] => {
  const slugger = new GithubSlugger();
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugger.slug(heading));
};

/** The rules for feeds, requests and responses, which the repository also keeps for its own readers. */
export function rulesPage(content: string, language: Language, texts: SiteTexts): PageSource {
  const rulesIn = (one: Language) => {
    const all = read(content, RULES[one]);
    // In English, rules about operation follow.
    const [forClients = ''] = all.slice(all.indexOf('\n## Feeds\n') + 1).split(/^## Operation\n/m);
    return forClients;
  };
  const text = rulesIn(language);
  // A section has the same id in each language.
  const [own, main] = [slugsOf(text), slugsOf(rulesIn(MAIN_LANGUAGE))];
  const markdown = text
    .replace(/\s*\(\[\d{4}\]\([^)]*\)\)/g, '')
    .replace(/\[([^\]]+)\]\(([^)#]*)(?:#([^)]*))?\)/g, (_, label: string, page: string, id = '') => {
      if (page === '') return `[${label}](#${main[own.indexOf(id)] ?? id})`;
      return PAGES[page] === undefined ? label : `[${label}](%DOCS%/${PAGES[page]})`;
    });
  const keywords = 'contract specification';
  return { path: 'rules', title: texts.rules, summary: texts.rulesSummary, order: 0, keywords, markdown };
}
