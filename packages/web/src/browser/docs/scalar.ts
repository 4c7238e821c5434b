import { SCALAR_STYLE } from './scalar-style.ts';

/** The part of Scalar's interface that this page uses. Source: the package's documentation, "Configuration". */
interface Scalar {
  createApiReference(element: HTMLElement, configuration: Record<string, unknown>): unknown;
}

export interface ScalarOptions {
  /** The URL of Scalar's script. */
  script: string;
  /** The absolute URL of the base path, with a slash at its end. */
  base: string;
  /** The id of the operation to show. */
  operation: string;
  isDark: boolean;
}

/** The examples are in curl, JavaScript and Python. Source: `GROUPED_CLIENTS` in the package `@scalar/types`. */
const OTHER_LANGUAGES =
  'c clojure csharp dart fsharp go http java kotlin node objc ocaml php powershell r ruby rust swift';
const HIDDEN_CLIENTS = {
  ...Object.fromEntries(OTHER_LANGUAGES.split(' ').map((language) => [language, true])),
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  python: ['python3', 'httpx_sync', 'httpx_async'],
  shell: ['httpie', 'wget'],
};

interface ParameterSchema {
  type?: string;
  format?: string;
  enum?: unknown[];
}
interface OpenApi {
  /** Scalar shows a section for each tag, also without an operation. */
  tags: unknown[];
  paths: Record<string, Record<string, { operationId: string }>>;
  components: {
    parameters: Record<string, { required?: boolean; schema: ParameterSchema; example?: unknown }>;
  };
}

/** The form shows a warning beside an empty number. */
const PRESETS: Record<string, number> = { page: 1, pageSize: 20 };

/**
 * Reads the OpenAPI document, and keeps one operation. The examples of words, such as cities, may not exist in the
 * catalog, so the form shows none of them.
 * @throws Error if the document cannot be read
 */
async function readOperation(base: string, operation: string): Promise<OpenApi> {
  const response = await fetch(`${base}openapi.json`);
  if (!response.ok) throw new Error(`the OpenAPI document has the status ${response.status}`);
  const document = (await response.json()) as OpenApi;
  for (const [name, parameter] of Object.entries(document.components.parameters)) {
    const { type, format, enum: choices } = parameter.schema;
    const isWord = type === 'string' && format === undefined && choices === undefined;
    parameter.example = isWord ? undefined : (PRESETS[name] ?? parameter.example);
  }
  const paths = Object.entries(document.paths).filter(([, methods]) =>
    Object.values(methods).some(({ operationId }) => operationId === operation),
  );
  return { ...document, tags: [], paths: Object.fromEntries(paths) };
}

/**
 * Shows one operation of the OpenAPI document. Nothing comes from another host, and "try it" sends requests to this service, even if
 * PUBLIC_URL in the document names another origin.
 * @throws Error if the script cannot be loaded
 */
export async function mountScalar(
  place: HTMLElement,
  { script, base, operation, isDark }: ScalarOptions,
): Promise<void> {
  const [{ createApiReference }, content] = await Promise.all([load(script), readOperation(base, operation)]);
  createApiReference(place, {
    content,
    showSidebar: false,
    hideSearch: true,
    servers: [{ url: base.replace(/\/$/, '') }],
    theme: 'none',
    // Each operation shows its schemas. The separate list of models nests buttons inside buttons.
    hideModels: true,
    customCss: SCALAR_STYLE,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    hiddenClients: HIDDEN_CLIENTS,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hideDarkModeToggle: true,
    forceDarkModeState: isDark ? 'dark' : 'light',
    defaultOpenAllTags: true,
  });
}

/**
 * Changes the theme of a shown reference. Scalar reads `forceDarkModeState` only once, and a second reference would
 * lose the visitor's place and input.
 */
export function changeScalarTheme(isDark: boolean): void {
  document.body.classList.toggle('dark-mode', isDark);
  document.body.classList.toggle('light-mode', !isDark);
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
