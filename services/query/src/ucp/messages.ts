import { Problem } from '../contract/problem.ts';

/** UCP's message.json, without the members that the catalog does not use. */
export type Message =
  | { type: 'info'; code: string; content: string }
  | { type: 'error'; code: string; content: string; severity: 'recoverable' | 'unrecoverable' };

export const info = (code: string, content: string): Message => ({ type: 'info', code, content });

/**
 * The request itself is wrong, so it has no business outcome. REST responds with 400, MCP with the JSON-RPC
 * error -32602 (UCP, "Transport Errors").
 */
export class UcpRefusal extends Problem {
  readonly code: string;

  constructor(code: string, content: string) {
    super('malformed-request', content);
    this.name = 'UcpRefusal';
    this.code = code;
  }
}
