import type { JsonSchema } from './openapi-types.ts';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and attribute values. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

export const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;

export const block = (value: unknown): string => listing(JSON.stringify(value, null, 2));

/** Renders a preformatted block of code. */
export const listing = (text: string): string => `<pre>${escapeHtml(text)}</pre>`;

/** Renders one line of CommonMark. The descriptions use no markup except code spans. */
export const inline = (text: string): string => escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');

/** Renders a description with paragraphs and lists. */
export const prose = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => {
      if (!paragraph.startsWith('- ')) return `<p>${inline(paragraph)}</p>`;
      return `<ul>${paragraph
        .split('\n')
        .map((line) => `<li>${inline(line.slice(2))}</li>`)
        .join('')}</ul>`;
    })
    .join('\n');

export const row = (...cells: string[]): string =>
  `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

export function table(headings: string[], rows: string[]): string {
  const head = headings.map((heading) => `<th scope="col">${heading}</th>`).join('');
  const body = rows.join('');
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Describes a schema in one line: type, limits, and links to the schemas that it references. */
export function form(schema: JsonSchema): string {
  const { $ref, type, items, enum: choices, const: constant, description: _, ...limits } = schema;
  if (typeof $ref === 'string') return schemaLink($ref);
  if (constant !== undefined) return `always ${code(String(constant))}`;
  const kind =
    type === 'array' ? `array of ${form(items as JsonSchema)}` : escapeHtml(String(type ?? 'string'));
  const chosen = Array.isArray(choices)
    ? [`one of ${choices.map((choice) => code(String(choice))).join(', ')}`]
    : [];
  const limited = Object.entries(limits).map(([keyword, limit]) => `${keyword} ${code(String(limit))}`);
  return [kind, ...chosen, ...limited].join(', ');
}

function schemaLink(reference: string): string {
  const name = escapeHtml(reference.split('/').at(-1) ?? '');
  return `<a href="#schema-${name}">${name}</a>`;
}
