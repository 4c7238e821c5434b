/** The counts of a comparison of the source with the live generation. */
export interface ReconciliationCounts {
  /** Number of lines of the source. */
  source: number;
  /** Lines that equal their listing in the feed. */
  equal: number;
  /** Lines whose listing is not in the feed. */
  missing: number;
  /** Items of the feed that no line names. */
  extra: number;
  /** Lines whose listing is in the feed with other values. */
  different: number;
  /** Listings that differ, but received an event after the moment of the dump. */
  changed: number;
}

/**
 * The last complete run of `reconcile`, and the failure of a later run. A short-lived job exports no metrics, so
 * the projectors export this record (docs/decisions/0106).
 */
export interface ReconciliationRecord extends ReconciliationCounts {
  /** End of the run, ISO 8601. */
  at: string;
  /** The moment of the dump, ISO 8601. */
  as_of: string;
  /** Absent if no run has failed since the last complete run. */
  failed?: { at: string; error: string };
}

/** Every projector reads the registry once per second, so an error must not make it large. */
const ERROR_CHARACTERS = 500;

/**
 * The record after a run that failed. Undefined if no run has ever been complete: then there is no result that
 * could be too old. Pure.
 * @param at ISO 8601
 */
export const failedReconciliation = (
  record: ReconciliationRecord | undefined,
  at: string,
  error: unknown,
): ReconciliationRecord | undefined =>
  record && { ...record, failed: { at, error: String(error).slice(0, ERROR_CHARACTERS).toWellFormed() } };

/** Number of listings that differ for each kind of difference. Pure. */
export const differencesOf = ({
  missing,
  extra,
  different,
}: ReconciliationCounts): Record<'missing' | 'extra' | 'different', number> => ({
  missing,
  extra,
  different,
});
