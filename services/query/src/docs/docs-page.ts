import { LEGACY_ALIASES } from '../contract/feed-parameters.ts';
import { LEGACY_NAMES_ANCHOR } from '../request/deprecation.ts';
import { clientsSection } from './docs-clients.ts';
import { block, code, escapeHtml, form, inline, prose, row, table } from './docs-html.ts';
import { DOCS_STYLE } from './docs-style.ts';
import type {
  Example,
  Header,
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Parameter,
  Reference,
  Response,
} from './openapi-types.ts';

/**
 * Generates the human-readable API reference from the OpenAPI document: one page without scripts.
 * @param publicUrl the setting PUBLIC_URL. If it is undefined, links are relative to the page's own origin.
 */
export function docsPage(document: OpenApiDocument, basePath: string, publicUrl?: string): string {
  const { info, components } = document;
  const base = `${publicUrl ?? ''}${basePath}`;
  const specification = escapeHtml(`${base}/openapi.json`);
  const sections: [id: string, title: string, content: string][] = [
    ['operations', 'Operations', operations(document, basePath)],
    ['clients', 'Clients', clientsSection(basePath, publicUrl)],
    [
      'parameters',
      'Parameters',
      table(['Name', 'In', 'Form', 'Meaning'], Object.values(components.parameters).map(parameterRow)),
    ],
    [LEGACY_NAMES_ANCHOR, 'Legacy names', legacyNames()],
    ['responses', 'Responses', responses(document)],
    ['headers', 'Headers', table(['Header', 'Form', 'Meaning'], headerRows(document))],
    ['schemas', 'Schemas', Object.entries(components.schemas).map(schemaArticle).join('\n')],
  ];
  const openApi = `(OpenAPI ${escapeHtml(document.openapi)})`;
  const forPrograms = `For programs: <a href="${specification}">openapi.json</a> ${openApi}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="application/json" href="${specification}">
<style>${DOCS_STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>
<p>${forPrograms}, the source of this page.</p>
<nav aria-label="Sections">${sections.map(([id, title]) => `<a href="#${id}">${title}</a>`).join('\n')}</nav>
${prose(info.description)}
</header>
<main>
${sections.map(section).join('\n')}
</main>
</body>
</html>
`;
}

const section = ([id, title, content]: [id: string, title: string, content: string]): string =>
  `<section id="${id}">\n<h2>${title}</h2>\n${content}\n</section>`;

function operations({ tags, paths }: OpenApiDocument, basePath: string): string {
  return tags
    .map(({ name, description }) => {
      const own = Object.entries(paths).filter(([, { get }]) => get.tags.includes(name));
      const rows = own.map(([path, { get }]) =>
        row(code(`GET ${basePath}${path}`), escapeHtml(get.summary), code(get.operationId)),
      );
      const requests = table(['Request', 'Purpose', 'Operation id'], rows);
      return `<h3>${escapeHtml(name)}</h3>\n${prose(description)}\n${requests}`;
    })
    .join('\n');
}

const parameterRow = ({ name, in: place, schema, description, required, deprecated }: Parameter): string =>
  row(
    [
      code(name),
      required && '<span class="tag">required</span>',
      deprecated && '<span class="tag">deprecated</span>',
    ]
      .filter(Boolean)
      .join(' '),
    place,
    form(schema),
    inline(description),
  );

const legacyNames = (): string =>
  '<p>The service accepts the names of the first generation, with the same meaning. They are ' +
  'deprecated: the response to a request with one has a\n' +
  '<code>Deprecation</code> header and a <code>Link</code> to this section. No end date is set.</p>\n' +
  `${table(
    ['Legacy name', 'Name'],
    Object.entries(LEGACY_ALIASES).map(([name, alias]) => row(code(alias), code(name))),
  )}`;

const isReference = (value: object): value is Reference => '$ref' in value;
const nameOf = ({ $ref }: Reference): string => $ref.split('/').at(-1) ?? '';

function responses({ paths, components }: OpenApiDocument): string {
  // All operations share the same responses, except the successful response.
  const statuses = new Map<string, [status: string, Response]>();
  for (const { get } of Object.values(paths)) {
    for (const [status, response] of Object.entries(get.responses)) {
      const shared = isReference(response) ? components.responses[nameOf(response)] : undefined;
      const own = isReference(response) ? undefined : response;
      const [key, response_] = own ? [get.operationId, own] : [status, shared];
      if (response_) statuses.set(key, [own ? `${status} ${get.operationId}` : titleOf(status), response_]);
    }
  }
  return [...statuses.values()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { description, content = {} }]) => {
      const bodies = Object.entries(content).map(([type, media]) => body(type, media, components.examples));
      return `<article><h3>${escapeHtml(title)}</h3>\n${prose(description)}\n${bodies.join('\n')}</article>`;
    })
    .join('\n');
}

const titleOf = (status: string): string => (status === 'default' ? 'Any other status' : status);

function body(type: string, { schema, examples }: MediaType, shared: Record<string, Example>): string {
  const shown = Object.values(examples).flatMap((example) =>
    isReference(example) ? (shared[nameOf(example)] ?? []) : example,
  );
  return [
    `<p>${code(type)}: ${form({ ...schema })}</p>`,
    ...shown.map(
      ({ summary, value }) => `<details><summary>${inline(summary)}</summary>${block(value)}</details>`,
    ),
  ].join('\n');
}

function headerRows({ paths, components }: OpenApiDocument): string[] {
  const inline200 = Object.values(paths).flatMap(
    ({ get }) => Object.values(get.responses).filter((response) => !isReference(response)) as Response[],
  );
  const named = new Map<string, Header>();
  for (const { headers } of [...inline200, ...Object.values(components.responses)]) {
    for (const [name, reference] of Object.entries(headers)) {
      const header = components.headers[nameOf(reference)];
      if (header) named.set(`${name} ${nameOf(reference)}`, header);
    }
  }
  return [...named].map(([key, { schema, description }]) =>
    row(code(key.split(' ')[0] ?? ''), form(schema), inline(description)),
  );
}

function schemaArticle([name, schema]: [string, JsonSchema]): string {
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const rows = members.map(([member, own]) =>
    row(code(member), required.has(member) ? 'yes' : 'no', form(own), inline(String(own.description ?? ''))),
  );
  return `<article id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>
${prose(String(schema.description ?? ''))}
${table(['Member', 'Always present', 'Form', 'Meaning'], rows)}</article>`;
}
