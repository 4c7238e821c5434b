export const MAX_DETAIL = 500;

/** The reasons why a record becomes a dead letter. Operators filter dead letters by reason. */
export const REFUSALS = [
  'too-large',
  'too-deep',
  'not-utf8',
  'not-json',
  'not-an-object',
  'schema',
  'key-mismatch',
  'unprocessable',
  'tombstone-without-version',
  'version-too-high',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Ends the decoding of a record. The record becomes a dead letter with this reason and detail. */
export class Refused extends Error {
  readonly reason: Refusal;
  constructor(reason: Refusal, detail: string) {
    super(detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL)}…` : detail);
    this.reason = reason;
  }
}
