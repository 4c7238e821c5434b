/** What logs and headers can carry as it stands. */
const FORM = /^[A-Za-z0-9._~:+/=@-]{1,128}$/;

/** The id that a client gave its request (`X-Request-Id`); undefined where there is none, or none that can be logged. */
export const givenRequestId = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && FORM.test(header) ? header : undefined;
