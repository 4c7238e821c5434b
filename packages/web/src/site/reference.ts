import type { PageSource } from './content.ts';
import type { SiteTexts } from './languages.ts';
import {
  type Example,
  nameOf,
  type OpenApi,
  operationsOf,
  type Parameter,
  type ReferencedOperation,
  type Response,
  resolve,
  type Schema,
} from './openapi-document.ts';
import { programs } from './programs.ts';

export interface ReferenceOptions {
  document: OpenApi;
  texts: SiteTexts;
  /** Translates a description, which is Markdown. */
  translate(text: string): string;
}

/** Writes the pages of the reference as Markdown, below `reference`. */
export function referencePages(options: ReferenceOptions): PageSource[] {
  const { texts } = options;
  const page = (path: string, title: string, summary: string, order: number, markdown: string) => ({
    path: `reference${path}`,
    title,
    summary,
    order,
    keywords: '',
    markdown,
  });
  return [
    page('', texts.reference, texts.referenceSummary, 0, overview(options)),
    ...operationsOf(options.document).map((entry, index) => {
      const { operationId, summary, description } = entry.operation;
      const [title, first] = [options.translate(summary), options.translate(description)];
      return page(`/${operationId}`, title, first, index + 1, operationPage(options, entry));
    }),
    page('/objects', texts.objects, texts.objectsSummary, 900, objectsPage(options)),
    page('/headers', texts.headers, texts.headersSummary, 901, headersPage(options)),
  ];
}

const DOCUMENTS = ['openapi.json', 'asyncapi.json', 'listing-event.schema.json'];

function overview({ document, texts, translate }: ReferenceOptions): string {
  const operations = operationsOf(document);
  const groups = document.tags.map(({ name, description }) => {
    const rows = operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(
        ({ path, method, operation }) =>
          `| [${translate(operation.summary)}](%DOCS%/reference/${operation.operationId}) | \`${method.toUpperCase()} ${path}\` |`,
      );
    return [`## ${name} {#${name}}`, translate(description), table([texts.operations, texts.path], rows)];
  });
  const documents = DOCUMENTS.map((name) => `- [\`${name}\`](%FEEDS%/${name})`).join('\n');
  return [
    translate(document.info.description),
    ...groups.flat(),
    `## ${texts.documents} {#documents}`,
    documents,
  ].join('\n\n');
}

const table = (head: string[], rows: string[]): string =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n');

function operationPage(options: ReferenceOptions, { path, method, operation }: ReferencedOperation): string {
  const { texts, document } = options;
  const parameters = operation.parameters.map((reference) => resolve<Parameter>(document, reference));
  const request = requestOf(path, parameters);
  return [
    `<p class="request"><code>${method.toUpperCase()} %FEEDS%${path}</code></p>`,
    sendForm(texts, path, parameters),
    `## ${texts.example} {#example}`,
    ...Object.entries(programs(`%FEEDS%${request}`)).map(([language, text]) => fence(language, text)),
    `## ${texts.parameters} {#parameters}`,
    ...parameters.map((parameter) => parameterPart(options, parameter)),
    `## ${texts.responses} {#responses}`,
    ...Object.entries(operation.responses).map(([status, response]) =>
      responsePart(options, status, resolve<Response>(document, response)),
    ),
  ].join('\n\n');
}

/** The path and query of an example, with the values of the path's parameters. */
const requestOf = (path: string, parameters: Parameter[]): string =>
  parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);

/**
 * A form that sends the request. The page's script adds the form's button, so the form is hidden without
 * scripts (`scripting` in docs.css).
 */
function sendForm(texts: SiteTexts, path: string, parameters: Parameter[]): string {
  const fields = parameters
    .filter(({ deprecated }) => !deprecated)
    .map(({ name, in: place, schema, example = '' }) => {
      const attributes = `name="${name}" data-in="${place}"`;
      const choices = (schema as Schema).enum?.map(
        (value) => `<option${place === 'path' && value === example ? ' selected' : ''}>${value}</option>`,
      );
      const field = choices
        ? `<select ${attributes}>${place === 'path' ? '' : '<option></option>'}${choices.join('')}</select>`
        : `<input type="text" ${attributes} placeholder="${example}" autocomplete="off" spellcheck="false">`;
      return `<label class="field"><code>${name}</code>${field}</label>`;
    });
  return `<details class="send"><summary class="button primary">${texts.send}</summary>
<form class="card stack" action="%BASE%${path.slice(1)}">
<div class="send-fields">${fields.join('\n')}</div>
<div id="send" class="stack"></div>
</form></details>`;
}

/**
 * Writes an example from the stored OpenAPI document. Problem types then begin with the address of the
 * service.
 */
export const exampleText = (value: unknown): string =>
  JSON.stringify(value, undefined, 2).replace('"/api/docs/errors/', '"%FEEDS%/docs/errors/');

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function parameterPart({ document, texts, translate }: ReferenceOptions, parameter: Parameter): string {
  const facts = [
    ...(parameter.deprecated ? [`<span class="chip warn">${texts.deprecated}</span>`] : []),
    texts[parameter.in],
    parameter.required ? texts.required : texts.optional,
    schemaText(document, texts, parameter.schema as Schema),
    ...(parameter.example === undefined ? [] : [`${texts.example}: \`${parameter.example}\``]),
  ];
  return [
    `### \`${parameter.name}\` {#${parameter.name}}`,
    `<small>${facts.join(' · ')}</small>`,
    translate(parameter.description),
  ].join('\n\n');
}

function responsePart({ document, texts, translate }: ReferenceOptions, status: string, response: Response) {
  const headers = Object.entries(response.headers).map(
    ([name, { $ref }]) => `[\`${name}\`](%DOCS%/reference/headers#${idOf($ref)})`,
  );
  const contents = Object.entries(response.content ?? {}).flatMap(([type, { schema, examples = {} }]) => [
    `\`${type}\`: ${schemaText(document, texts, schema)}`,
    ...Object.values(examples)
      .map((example) => resolve<Example>(document, example))
      .map(
        ({ summary, value }) =>
          `<details><summary>${texts.example}: ${escaped(translate(summary))}</summary>\n\n` +
          `${fence('json', exampleText(value))}\n\n</details>`,
      ),
  ]);
  return [
    `### ${status} {#${status}}`,
    translate(response.description),
    ...(headers.length > 0 ? [`<small>${texts.headers}: ${headers.join(', ')}</small>`] : []),
    ...contents,
  ].join('\n\n');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const idOf = ($ref: string): string => nameOf($ref).toLowerCase();

/** Describes the values that a schema allows, in Markdown. */
function schemaText(document: OpenApi, texts: SiteTexts, schema: Schema): string {
  if (schema.$ref !== undefined)
    return `[${nameOf(schema.$ref)}](%DOCS%/reference/objects#${idOf(schema.$ref)})`;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values)
    return `${values.length > 1 ? `${texts.oneOf} ` : ''}${values.map((value) => `\`${value}\``).join(', ')}`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return `${texts.oneOf} ${choices.map((one) => schemaText(document, texts, one)).join(', ')}`;
  if (schema.items) return `${texts.listOf} ${schemaText(document, texts, schema.items)}`;
  const { type = 'any', format, minimum, maximum, exclusiveMinimum } = schema;
  const isBounded = maximum !== undefined && maximum < 2 ** 31 - 1;
  return [
    format === undefined || /^u?int/.test(format) ? type : `${type} (${format})`,
    ...(minimum !== undefined && (minimum !== 0 || isBounded) ? [`${texts.from} ${minimum}`] : []),
    ...(exclusiveMinimum === undefined ? [] : [`> ${exclusiveMinimum}`]),
    ...(isBounded ? [`${texts.to} ${maximum}`] : []),
  ].join(' ');
}

function objectsPage({ document, texts, translate }: ReferenceOptions): string {
  return Object.entries(document.components.schemas as Record<string, Schema>)
    .flatMap(([name, schema]) => {
      const required = new Set(schema.required);
      const rows = Object.entries(schema.properties ?? {}).map(([member, value]) => {
        const type = schemaText(document, texts, value).replaceAll('|', '\\|');
        const meaning = translate(value.description ?? '').replaceAll('|', '\\|');
        return `| \`${member}\` | ${type}${required.has(member) ? '' : `, ${texts.optional}`} | ${meaning} |`;
      });
      return [
        `## ${name} {#${name.toLowerCase()}}`,
        translate(schema.description ?? ''),
        ...(rows.length > 0 ? [table([texts.member, texts.type, texts.meaning], rows)] : []),
        ...(schema.anyOf || schema.oneOf ? [schemaText(document, texts, schema)] : []),
      ];
    })
    .join('\n\n');
}

/** The names of headers in responses, by component name. */
function headersPage({ document, translate }: ReferenceOptions): string {
  const names = new Map<string, string>();
  const responses = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  for (const response of responses)
    for (const [name, { $ref }] of Object.entries(resolve<Response>(document, response).headers))
      names.set(nameOf($ref), name);
  return Object.entries(document.components.headers)
    .filter(([component]) => names.has(component))
    .map(
      ([component, { description }]) =>
        `## \`${names.get(component)}\` {#${component.toLowerCase()}}\n\n${translate(description)}`,
    )
    .join('\n\n');
}
