/**
 * How a run of `verify --self` on the live generation ended. `clean`: no differences. `repaired`: all
 * differences were repaired. `unrepaired`: some differences remain. `failed`: an error ended the run.
 */
type SelfCheckOutcome = 'clean' | 'repaired' | 'unrepaired' | 'failed';

export interface SelfCheckRun {
  generation: number;
  /** The time at which the run ended (ISO 8601). */
  at: string;
  outcome: SelfCheckOutcome;
  /** The number of items that differed from their states. It is 0 if the run failed. */
  repaired: number;
  unrepaired: number;
  error?: string;
}

/**
 * The runs of `verify --self` on the live generation. A short-lived job exports no metrics, so the projectors
 * export this record (docs/decisions/0077).
 */
export interface SelfCheckRecord {
  /**
   * The time at which the first run started (ISO 8601). The wait for a success counts from then on, even if
   * no run ever ends.
   */
  since: string;
  /** The time at which the last run without remaining differences ended (ISO 8601). */
  succeeded_at?: string;
  last?: SelfCheckRun;
}

/** The record after the start of a run. It is the same object unless this is the first run. Pure. */
export const startedSelfCheck = (record: SelfCheckRecord | undefined, at: string): SelfCheckRecord =>
  record ?? { since: at };

/** The record after the end of a run. Pure. */
export function endedSelfCheck(record: SelfCheckRecord | undefined, last: SelfCheckRun): SelfCheckRecord {
  const succeeded = last.outcome === 'clean' || last.outcome === 'repaired';
  return { ...startedSelfCheck(record, last.at), last, ...(succeeded && { succeeded_at: last.at }) };
}
