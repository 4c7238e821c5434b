import type { Job } from './api-types.ts';

/** An error that the command line or the console has reported. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** `failed`, `usage`, `refused` or `interrupted`. */
  readonly kind: string | undefined;
  constructor(message: string, kind: string | undefined) {
    super(message);
    this.kind = kind;
  }
}

const TOKEN_KEY = 'vitrine-console-token';
const TOKEN_HASH = /^#token=([\w-]+)$/;

/**
 * Takes the token from the URL's fragment, so that the address bar does not keep it. The browser's history on
 * this machine still contains the token (docs/operate/console.md#security). This tab keeps the token during a
 * reload.
 */
export function takeToken(): void {
  const [, token] = TOKEN_HASH.exec(location.hash) ?? [];
  if (token === undefined) return;
  try {
    sessionStorage.setItem(TOKEN_KEY, token);
  } catch {
    // Without storage, the token is valid until a reload.
  }
  memory = token;
  history.replaceState(null, '', '#/');
}

let memory: string | undefined;

function token(): string | undefined {
  try {
    return memory ?? sessionStorage.getItem(TOKEN_KEY) ?? undefined;
  } catch {
    return memory;
  }
}

/** Whether this tab has a token, which may belong to an earlier start of the console. */
export const hasToken = (): boolean => token() !== undefined;

/**
 * Reads JSON. @throws ApiError with the message of the command line; TypeError if the console does not
 * respond
 */
export async function readApi<T>(
  path: string,
  query: Record<string, string | undefined>,
  signal: AbortSignal,
): Promise<T> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  const url = `/api/${path}${search === '' ? '' : `?${search}`}`;
  // A browser sends equal requests one after the other unless it bypasses its cache. The console shares them.
  return parsed<T>(await fetch(url, { signal, cache: 'no-store' }));
}

/** Starts an action. @throws ApiError */
export const startJob = (action: string, args: Record<string, unknown>): Promise<Job> =>
  send('/api/jobs', { action, arguments: args });

/** Asks a job to end. @throws ApiError */
export const cancelJob = (id: number): Promise<Job> => send('/api/jobs/cancel', { id });

async function send(path: string, body: object): Promise<Job> {
  return parsed<Job>(
    await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token() ?? ''}` },
      body: JSON.stringify(body),
    }),
  );
}

async function parsed<T>(response: Response): Promise<T> {
  const body = (await response.json()) as T & { error?: { message: string; kind: string } };
  if (!response.ok) throw new ApiError(body.error?.message ?? response.statusText, body.error?.kind);
  return body;
}
