/**
 * The headers of every page. Scripts and styles come only from the page's own origin, and images also from the
 * hosts of listings. CSP Level 3; docs/reference/views.md#security.
 * @param imageOrigins HTTP origins from which a page may load listing images
 */
export const pageHeaders = (imageOrigins: readonly string[] = []) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' https: data:", ...imageOrigins].join(' '),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});

/** The headers of a page that shows no listings from another origin without HTTPS. */
export const PAGE_HEADERS = pageHeaders();

export interface PageSource {
  /** The default is English. */
  language?: 'en' | 'pt-BR';
  title: string;
  description: string;
  /** URLs, absolute or relative to the page. */
  scripts: readonly string[];
  styles: readonly string[];
  /** Values for the script, as `data-` attributes of the root element. */
  data?: Readonly<Record<string, string>>;
  /** HTML at the end of the head, such as Open Graph tags. */
  head?: string;
  /** HTML that every browser shows until the script replaces it. */
  content?: string;
  /** HTML that a browser without scripts shows. */
  withoutScripts?: string;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Writes the elements in the head of every page. */
export const pageHead = ({
  title,
  description,
  scripts,
  styles,
}: Pick<PageSource, 'title' | 'description' | 'scripts' | 'styles'>): string =>
  `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(description)}">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230f766e'/%3E%3Cpath d='M8 9l8 15 8-15' fill='none' stroke='%23fff' stroke-width='4' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E">
${styles.map((url) => `<link rel="stylesheet" href="${escapeHtml(url)}">`).join('\n')}
${scripts.map((url) => `<script type="module" src="${escapeHtml(url)}"></script>`).join('\n')}`;

/** Writes a page with the product's name and with content that the page's script replaces. */
export const pageShell = ({
  language = 'en',
  title,
  description,
  scripts,
  styles,
  data = {},
  head = '',
  content = '',
  withoutScripts = '',
}: PageSource): string =>
  `<!doctype html>
<html lang="${language}"${Object.entries(data)
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join('')}>
<head>
${pageHead({ title, description, scripts, styles })}
${head}</head>
<body>
<div id="app"><header class="bar"><span class="brand">Vitrine</span></header>
${content}</div>
${withoutScripts && `<noscript><main class="plain">${withoutScripts}</main></noscript>`}
</body>
</html>
`;
