import { hostHeaderValidationResponse, originValidationResponse } from '@modelcontextprotocol/server';

/** The host names that may reach the MCP endpoints, and the origins of web pages that may call them. */
export interface AllowedCallers {
  /** Host names without ports. */
  hosts: string[];
  /** Host names of origins. `*`: any origin. */
  origins: string[] | '*';
}

/**
 * Refuses a request with another Host or Origin with status 403, as the protocol requires against DNS
 * rebinding (MCP 2026-07-28, "Streamable HTTP", Security). A request without Origin passes.
 * @returns the refusal, or undefined
 */
export const callerRefusal = (request: Request, { hosts, origins }: AllowedCallers): Response | undefined =>
  hostHeaderValidationResponse(request, hosts) ??
  (origins === '*' ? undefined : originValidationResponse(request, origins));
