import GithubSlugger from 'github-slugger';
import hljs from 'highlight.js/lib/common';
import { Lexer, Marked, Renderer, type Tokens } from 'marked';
import { escapeHtml } from '../pages/page-shell.ts';

/** The labels of the languages, by the word after the fence. Every example needs one of these words. */
const CODE: Record<string, string> = {
  sh: 'Shell',
  js: 'JavaScript',
  python: 'Python',
  json: 'JSON',
  text: '',
};

export interface Heading {
  depth: number;
  id: string;
  /** Plain text. */
  text: string;
}

/** A part of a page as the search sees it: its heading, and the text up to the next heading. */
interface Passage {
  /** The heading is undefined for the text above the first heading. */
  heading: Heading | undefined;
  /** Plain text without code examples. */
  text: string;
}

export interface RenderedMarkdown {
  html: string;
  headings: Heading[];
  passages: Passage[];
}

export interface MarkdownOptions {
  /** The ids of the same headings in the main language, so that a link leads to the same place in each language. */
  ids?: readonly string[];
  linkLabel(title: string): string;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
/** Returns the text of HTML that `marked` has written, without the facts in small print and without forms. */
const plainText = (html: string): string =>
  html
    .replace(/<(small|form)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * Renders a page's Markdown, which comes from this repository only. Headings get ids and links to themselves,
 * and examples get syntax highlighting. `## Heading {#id}` sets an id.
 * @throws Error if an example has no known language
 */
export function renderMarkdown(source: string, { ids = [], linkLabel }: MarkdownOptions): RenderedMarkdown {
  const slugger = new GithubSlugger();
  const headings: Heading[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ depth, tokens }) {
        const { id, text } = headings.at(-1) as Heading;
        const link = `<a class="anchor" href="#${id}" aria-label="${escapeHtml(linkLabel(text))}">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} ${link}</h${depth}>\n`;
      },
      code: ({ text, lang = '' }) => example(text, lang),
      table(token) {
        // A keyboard must be able to scroll a wide table (WCAG 2.1.1).
        return `<div class="table-frame" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
    },
  });
  let html = '';
  const passages: Passage[] = [];
  let texts: string[] = [];
  const endPassage = () => {
    const text = texts.join(' ');
    if (text !== '' || headings.length > 0) passages.push({ heading: headings.at(-1), text });
    texts = [];
  };
  for (const token of marked.lexer(source)) {
    if (token.type === 'heading') {
      endPassage();
      headings.push(headingOf(token as Tokens.Heading, marked, slugger, ids[headings.length]));
    }
    const part = marked.parser([token]);
    html += part;
    if (!['heading', 'code'].includes(token.type)) texts.push(plainText(part));
  }
  endPassage();
  return { html, headings, passages: passages.filter(({ text, heading }) => text !== '' || heading) };
}

/** Removes an explicit id from the heading's token. */
function headingOf(token: Tokens.Heading, marked: Marked, slugger: GithubSlugger, id?: string): Heading {
  const [, title = '', stated] = /^(.*?)(?: \{#([\w-]+)\})?$/.exec(token.text) ?? [];
  token.tokens = Lexer.lexInline(title);
  const text = plainText(marked.parseInline(title, { async: false }));
  return { depth: token.depth, id: stated ?? id ?? slugger.slug(text), text };
}

/** The placeholders for addresses, as words that no highlighter divides. */
const HIDDEN = /%(FEEDS|ROOT|DOCS)%/g;
const SHOWN = /placeholder(FEEDS|ROOT|DOCS)placeholder/g;

function example(text: string, language: string): string {
  const label = CODE[language];
  if (label === undefined) throw new Error(`an example has the unknown language "${language}"`);
  const code = language === 'text' ? escapeHtml(text) : highlighted(text, language);
  return `<div class="example"><div class="example-bar">${label}</div><pre tabindex="0"><code>${code}</code></pre></div>\n`;
}

const highlighted = (text: string, language: string): string =>
  hljs.highlight(text.replace(HIDDEN, 'placeholder$1placeholder'), { language }).value.replace(SHOWN, '%$1%');
