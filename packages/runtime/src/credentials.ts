/** The text of a URL, or of what was meant as one, with `…` for all that may be user and password: fit for messages. */
export const withoutCredentials = (text: string): string => text.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@');

/** What is wrong where one of two settings is there that only make sense together; for `readSettings`. */
export function missingPartner(settings: object, one: string, other: string): string[] {
  if (one in settings === other in settings) return [];
  const [given, missing] = one in settings ? [one, other] : [other, one];
  return [`${given} needs ${missing}`];
}
