/** A request whose response is recorded. */
export interface RecordedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Number of pages to read. `meta.nextCursor` or `next` leads to the next page. */
  pages: number;
}

export const get = (
  path: string,
  { headers = {}, pages = 1 }: { headers?: Record<string, string>; pages?: number } = {},
): RecordedRequest => ({ method: 'GET', path, headers, pages });

export const post = (path: string, body: object, headers: Record<string, string> = {}): RecordedRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
  pages: 1,
});
