import type { Theme } from '../components/preferences.ts';

interface ScalarReference {
  destroy(): void;
}

/** The part of Scalar's interface that this page uses. Source: the package's documentation, "Configuration". */
interface Scalar {
  createApiReference(element: HTMLElement, configuration: Record<string, unknown>): ScalarReference;
}

export interface ScalarOptions {
  /** The URL of Scalar's script. */
  script: string;
  /** The absolute URL of the base path, with a slash at its end. */
  base: string;
  theme: Theme;
}

let loading: Promise<Scalar> | undefined;
let shown: ScalarReference | undefined;

/** Scalar's colors are those of the other views. */
const COLORS = `
.light-mode, .dark-mode {
  --scalar-font: var(--font);
  --scalar-font-code: var(--font-mono);
  --scalar-color-1: var(--text);
  --scalar-color-2: var(--text-soft);
  --scalar-color-3: var(--text-soft);
  --scalar-color-accent: var(--accent);
  --scalar-background-1: var(--surface);
  --scalar-background-2: var(--surface-sunken);
  --scalar-background-3: var(--surface-sunken);
  --scalar-border-color: var(--border);
  --scalar-sidebar-background-1: var(--background);
}
`;

/** The examples are in curl, JavaScript and Python. */
const HIDDEN = [
  ...[
    'c',
    'clojure',
    'csharp',
    'dart',
    'fsharp',
    'go',
    'http',
    'java',
    'kotlin',
    'node',
    'objc',
    'ocaml',
    'php',
  ],
  ...['powershell', 'r', 'ruby', 'rust', 'swift'],
];

/** Shows the OpenAPI document. Nothing comes from another host, and "try it" sends requests to this service. */
export async function mountScalar(place: HTMLElement, { script, base, theme }: ScalarOptions): Promise<void> {
  loading ??= load(script);
  const { createApiReference } = await loading;
  shown?.destroy();
  const isDark =
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  const element = document.createElement('div');
  place.replaceChildren(element);
  shown = createApiReference(element, {
    url: `${base}openapi.json`,
    servers: [{ url: base.replace(/\/$/, '') }],
    theme: 'none',
    customCss: COLORS,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    hiddenClients: Object.fromEntries(HIDDEN.map((language) => [language, true])),
    hideDarkModeToggle: true,
    forceDarkModeState: isDark ? 'dark' : 'light',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    defaultOpenAllTags: true,
  });
}

function load(script: string): Promise<Scalar> {
  const element = document.createElement('script');
  element.src = script;
  const loaded = Promise.withResolvers<Scalar>();
  element.onload = () => loaded.resolve((globalThis as unknown as { Scalar: Scalar }).Scalar);
  element.onerror = () => loaded.reject(new Error('the script of the reference could not be loaded'));
  document.head.append(element);
  return loaded.promise;
}
