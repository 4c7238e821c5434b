import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** The members of a request that decide whether the console answers it. */
export interface GuardedRequest {
  method: string;
  /** The path without the query string. */
  path: string;
  headers: IncomingHttpHeaders;
}

export interface GuardRules {
  port: number;
  /** Whether other machines can reach the console. */
  isPublic: boolean;
  /** The token of this start, or undefined if the console only reads. */
  token: string | undefined;
}

export interface GuardRefusal {
  status: 400 | 401 | 403 | 405 | 415 | 421;
  message: string;
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns why the console refuses a request, or undefined. Rule: docs/operate/console.md#security. Pure.
 *
 * - Host must be a loopback name with the console's port. A page from another site whose name an attacker's
 *   name server maps to 127.0.0.1 (DNS rebinding) sends its own name.
 * - Reads of the data must not come from another site.
 * - An action must come from the console's own page with the token of this start.
 */
export function refusalOf(request: GuardedRequest, rules: GuardRules): GuardRefusal | undefined {
  const { method, path, headers } = request;
  if (!isOwnHost(headers.host, rules))
    return { status: 421, message: `the Host header must be localhost or 127.0.0.1 with port ${rules.port}` };
  const site = headers['sec-fetch-site'];
  const isRead = method === 'GET' || method === 'HEAD';
  if (!path.startsWith('/api/'))
    return isRead ? undefined : { status: 405, message: 'the allowed methods are GET and HEAD' };
  if (site !== undefined && site !== 'same-origin' && !(isRead && site === 'none'))
    return { status: 403, message: 'the request comes from another site' };
  if (isRead) return undefined;
  if (method !== 'POST') return { status: 405, message: 'the allowed methods are GET, HEAD and POST' };
  if (rules.token === undefined)
    return { status: 403, message: 'this console only reads. Start it with --allow-actions' };
  if (headers.origin !== `http://${headers.host}`)
    return { status: 403, message: 'the Origin header must be the address of the console' };
  if (!/^application\/json(;\s*charset=utf-8)?$/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'the content type must be application/json' };
  if (!isToken(headers.authorization, rules.token))
    return {
      status: 401,
      message: 'the token is missing or belongs to another start of the console. Open the printed URL again',
    };
  return undefined;
}

function isOwnHost(host: string | undefined, { port, isPublic }: GuardRules): boolean {
  const [, name, given = '80'] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(host ?? '') ?? [];
  if (name === undefined || Number(given) !== port) return false;
  // An address cannot be rebound. The console has no list of the machine's public names.
  return LOOPBACK_NAMES.has(name.toLowerCase()) || (isPublic && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0);
}

/** Compares hashes, so that the duration of the comparison reveals nothing about the token. */
function isToken(authorization: string | undefined, token: string): boolean {
  const [, given = ''] = /^Bearer ([\w-]{1,200})$/.exec(authorization ?? '') ?? [];
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
