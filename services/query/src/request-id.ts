import { HEADER_LIMITS } from './request-headers.ts';

/** Characters that logs and headers can carry unchanged. */
const FORM = new RegExp(`^[A-Za-z0-9._~:+/=@-]{1,${HEADER_LIMITS['x-request-id']}}$`);

/** The id that a client gave its request (`X-Request-Id`); undefined if it gave none, or one that cannot be logged. */
export const givenRequestId = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && FORM.test(header) ? header : undefined;
