import { type Guides, PAGE_HEADERS, pageShell, type WebFiles } from '@vitrine/web';

/**
 * The headers of the API reference. Scalar adds style elements while it runs, so this page allows inline styles, but
 * still no inline script (docs/decisions/0065-scalar.md).
 */
export const REFERENCE_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': PAGE_HEADERS['Content-Security-Policy'].replace(
    "style-src 'self'",
    "style-src 'self' 'unsafe-inline'",
  ),
};

/** Creates the page at BASE_PATH + `/docs`, which shows the OpenAPI document with Scalar. */
export function referencePage(files: WebFiles): string {
  const url = (source: string) => `./web/${files.get(source)?.name}`;
  return pageShell({
    title: 'API reference · Vitrine',
    description: 'Every operation, parameter and response of the feeds.',
    scripts: [url('reference.js')],
    styles: [url('reference.css')],
    data: { view: 'reference', feeds: './', scalar: url('scalar.js') },
    withoutScripts:
      '<h1>API reference</h1><p>This page needs JavaScript. These do not: ' +
      '<a href="./openapi.json">OpenAPI document</a>, <a href="./asyncapi.json">AsyncAPI document</a>, ' +
      '<a href="./docs/crawlers">guide for crawlers</a>, ' +
      '<a href="./docs/agents">guide for agents</a>.</p>',
  });
}

/**
 * Creates the page of a guide in all languages, of which the script shows one.
 * @param root the origin of the service, without a slash at its end and without characters that mean something in HTML
 */
export function guidePage(
  files: WebFiles,
  name: keyof Guides,
  guides: Guides,
  root: string,
  basePath: string,
): string {
  const url = (source: string) => `../web/${files.get(source)?.name}`;
  const article = ([language, html]: [string, string]) =>
    `<article lang="${language}"${language === 'en' ? '' : ' hidden'}>\n${html}</article>`;
  const content = Object.entries(guides[name])
    .map(article)
    .join('\n')
    .replaceAll('%FEEDS%', `${root}${basePath}`)
    .replaceAll('%ROOT%', root);
  return pageShell({
    title: `${name === 'crawlers' ? 'For crawlers' : 'For agents'} · Vitrine`,
    description: 'How programs read the feeds.',
    scripts: [url('reference.js')],
    styles: [url('reference.css')],
    data: { view: name, feeds: '../' },
    content: `<main class="guide">${content}</main>`,
  });
}
