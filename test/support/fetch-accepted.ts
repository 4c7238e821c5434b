import { setTimeout as sleep } from 'node:timers/promises';

/** Number of attempts, because the tests may slow down the service's machine for a while. */
const ATTEMPTS = 20;

/**
 * Requests a URL like a polite client. After a 503 response, it waits as long as `Retry-After` says, and
 * repeats the request (docs/reference/rules.md#responses).
 * @param attempts number of requests after which a 503 response is returned like every other response
 * @throws an Error if a 503 response has no `Retry-After`; a TypeError if the service does not respond
 */
export async function fetchAccepted(
  url: string,
  { attempts = ATTEMPTS, ...init }: RequestInit & { attempts?: number } = {},
): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status !== 503 || attempts <= 1) return response;
  await response.body?.cancel();
  const seconds = Number(response.headers.get('retry-after'));
  if (!(seconds > 0)) throw new Error(`${url}: the 503 response has no Retry-After`);
  await sleep(1_000 * seconds);
  return fetchAccepted(url, { ...init, attempts: attempts - 1 });
}
