import { hostHeaderValidationResponse } from '@modelcontextprotocol/server';
import { serverError } from './json-rpc.ts';

/** The host names that may reach the MCP endpoints, and the origins of web pages that may call them. */
export interface AllowedCallers {
  /** Host names without ports. */
  hosts: string[];
  /** `*` allows any origin. */
  origins: AllowedOrigins | '*';
}

interface AllowedOrigins {
  /** Origins with their scheme and their port, as they appear in the `Origin` header (RFC 6454 §6.2). */
  exact: string[];
  /** Whether pages on this machine may call, whatever their scheme and port are. */
  loopback: boolean;
}

export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns status 403 for a request with any other Host or Origin, as the protocol requires against DNS
 * rebinding (MCP 2026-07-28, "Streamable HTTP", Security). A request without Origin passes.
 * @returns the refusal, or undefined
 */
export function callerRefusal(request: Request, { hosts, origins }: AllowedCallers): Response | undefined {
  const refusal = hostHeaderValidationResponse(request, [...hosts]);
  if (refusal) return refusal;
  const origin = request.headers.get('origin');
  if (origin === null || origins === '*' || isAllowed(origin, origins)) return undefined;
  return Response.json(serverError(`Invalid Origin: ${origin}`), { status: 403 });
}

function isAllowed(origin: string, { exact, loopback }: AllowedOrigins): boolean {
  const url = URL.parse(origin);
  // The origin of a URL that is not http(s) is the string "null".
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return exact.includes(url.origin) || (loopback && LOOPBACK_HOSTS.includes(url.hostname));
}
