/** The request that a form describes. */
export interface FormRequest {
  /** The absolute URL. */
  url: string;
  headers: Record<string, string>;
}

export interface Answer {
  status: number;
  /** The time from the request to the end of the body that the page reads. */
  milliseconds: number;
  /** The number of bytes in the decoded body, as far as the page reads it. */
  bytes: number;
  /** One `name: value` per line. */
  headers: string;
  body: string;
  /** Whether the response is longer than the part that the page shows, as an export can be. */
  isCut: boolean;
}

/** The page stops reading after this number of bytes, because an export contains the whole catalog. */
const MAX_BYTES = 1_000_000;

/**
 * Reads the fields of a form. A field's `data-in` attribute specifies where its value belongs. Empty fields
 * are absent.
 */
export function requestOf(form: HTMLFormElement): FormRequest {
  let path = form.getAttribute('action') ?? '';
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]')) {
    const { name, value, dataset } = field;
    if (value === '') continue;
    if (dataset['in'] === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset['in'] === 'header') headers[name] = value;
    else query.append(name, value);
  }
  const url = new URL(path, location.href);
  url.search = query.toString();
  return { url: url.href, headers };
}

/** Sends a request and reads the beginning of its response. @throws Error if there is no response */
export async function send({ url, headers }: FormRequest): Promise<Answer> {
  const start = performance.now();
  const response = await fetch(url, { headers, cache: 'no-store' });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = '';
  let bytes = 0;
  let isCut = false;
  for (let part = await reader?.read(); part?.value && !isCut; part = await reader?.read()) {
    bytes += part.value.length;
    text += decoder.decode(part.value, { stream: true });
    isCut = bytes > MAX_BYTES;
  }
  if (isCut) await reader?.cancel();
  return {
    status: response.status,
    milliseconds: Math.round(performance.now() - start),
    bytes,
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: isCut ? text : indented(text),
    isCut,
  };
}

/** The lines of an export are not a single JSON document, so they stay as they are. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
