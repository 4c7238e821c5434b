import { HEADER_LIMITS } from './request-headers.ts';

/** The characters that logs and headers can contain without escaping. */
const FORM = new RegExp(`^[A-Za-z0-9._~:+/=@-]{1,${HEADER_LIMITS['x-request-id']}}$`);

/**
 * Reads the id that a client assigned to its request (`X-Request-Id`). Returns undefined if the id is absent
 * or not safe to log.
 */
export const clientRequestId = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && FORM.test(header) ? header : undefined;
