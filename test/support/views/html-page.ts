/** An element of a generated page, whose HTML is well formed. */
export interface HtmlElement {
  tag: string;
  attributes: Readonly<Record<string, string>>;
  /** The child nodes in the order of the page. A string is text without entities. */
  children: (HtmlElement | string)[];
}

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** The elements whose content is not HTML. */
const RAW = /^(script|style)$/;
const TOKEN = /<!--[\s\S]*?-->|<!doctype[^>]*>|<(\/?)([a-z][\w-]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/giy;
const ATTRIBUTE = /\s([^\s=>]+)(?:="([^"]*)")?/g;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

const decode = (text: string): string =>
  text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (entity, hex?: string, decimal?: string, name = '') => {
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    return decimal ? String.fromCodePoint(Number(decimal)) : (ENTITIES[name] ?? entity);
  });

/**
 * Reads a page that this repository generates. The function cannot parse HTML from elsewhere, because it
 * repairs nothing.
 * @returns the elements of the page below a root without a tag
 * @throws Error if an element is not closed, or a character belongs to no element
 */
export function parsePage(html: string): HtmlElement {
  const root: HtmlElement = { tag: '', attributes: {}, children: [] };
  const open = [root];
  let at = 0;
  while (at < html.length) {
    const parent = open.at(-1) as HtmlElement;
    if (RAW.test(parent.tag)) {
      at = html.indexOf(`</${parent.tag}>`, at);
      if (at < 0) throw new Error(`<${parent.tag}> is not closed`);
    }
    if (html[at] !== '<') {
      const end = html.indexOf('<', at);
      const next = end < 0 ? html.length : end;
      parent.children.push(decode(html.slice(at, next)));
      at = next;
      continue;
    }
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(html);
    if (!token) throw new Error(`not a tag: ${html.slice(at, at + 80)}`);
    at = TOKEN.lastIndex;
    const [, slash, name, attributes = ''] = token;
    if (name === undefined) continue;
    if (slash) {
      if (open.pop()?.tag !== name) throw new Error(`</${name}> closes <${parent.tag}>`);
      continue;
    }
    const element: HtmlElement = {
      tag: name,
      attributes: Object.fromEntries(
        [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [key, decode(value)]),
      ),
      children: [],
    };
    parent.children.push(element);
    if (!VOID.has(name)) open.push(element);
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.tag}> is not closed`);
  return root;
}

/** All elements below an element, in the order of the page. */
export const elementsOf = ({ children }: HtmlElement): HtmlElement[] =>
  children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...elementsOf(child)]));

/** The text that an element contains. */
const textOf = ({ children }: HtmlElement): string =>
  children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');

/** What a screen reader says for an element: its label, or else its text. */
export const nameOf = (element: HtmlElement): string =>
  (element.attributes['aria-label'] ?? textOf(element)).trim();

/** Whether the element's text is not part of the interface, as in a browser (texts.ts). */
const isSkipped = ({ tag, attributes }: HtmlElement): boolean =>
  /^(script|style|noscript|code|pre)$/.test(tag) ||
  attributes.translate === 'no' ||
  (/^(a|button)$/.test(tag) && attributes.lang === 'en');

/** The texts of a page that people see or hear, as `textsOf` reads them in a browser. */
export function textsIn(element: HtmlElement): string[] {
  if (isSkipped(element)) return [];
  const labels = ['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.attributes[name] ?? '');
  const texts = element.children.flatMap((child) => (typeof child === 'string' ? [child] : textsIn(child)));
  return [...labels, ...texts].map((text) => text.trim().replace(/\s+/g, ' ')).filter(Boolean);
}
