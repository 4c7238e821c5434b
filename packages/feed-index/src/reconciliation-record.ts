/** The counts from comparing the source with the live generation. */
export interface ReconciliationCounts {
  /** The number of lines in the source. */
  source: number;
  /** The number of lines that match their listings in the feed. */
  equal: number;
  /** The number of lines whose listings are not in the feed. */
  missing: number;
  /** The number of items in the feed that no line names. */
  extra: number;
  /** The number of lines whose listings are in the feed with other values. */
  different: number;
  /** The number of listings that differ, but received an event after the time of the dump. */
  changed: number;
}

/**
 * The last complete run of `reconcile`, and the failure of a later run, if any. A short-lived job exports no
 * metrics, so the projectors export this record (docs/decisions/0106).
 */
export interface ReconciliationRecord extends ReconciliationCounts {
  /** The time at which the run ended (ISO 8601). */
  at: string;
  /** The time of the dump (ISO 8601). */
  as_of: string;
  /** The failure. It is absent if no run has failed since the last complete run. */
  failed?: { at: string; error: string };
}

/**
 * The maximum length of an error. Every projector reads the registry once per second, so the registry must
 * stay small.
 */
const ERROR_CHARACTERS = 500;

/**
 * The record after a run that failed. It is undefined if no run has ever been complete, because there is then
 * no result that could be too old. Pure.
 * @param at ISO 8601
 */
export const failedReconciliation = (
  record: ReconciliationRecord | undefined,
  at: string,
  error: unknown,
): ReconciliationRecord | undefined =>
  record && { ...record, failed: { at, error: String(error).slice(0, ERROR_CHARACTERS).toWellFormed() } };

/** The number of differing listings for each kind of difference. Pure. */
export const differencesOf = ({
  missing,
  extra,
  different,
}: ReconciliationCounts): Record<'missing' | 'extra' | 'different', number> => ({
  missing,
  extra,
  different,
});
