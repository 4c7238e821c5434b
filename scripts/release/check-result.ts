/** The result of one check of a release. */
export interface CheckResult {
  /** `impossible`: this machine cannot run the check. `left out`: an option excluded it. */
  status: 'ok' | 'failed' | 'impossible' | 'left out';
  /** Facts or problems, one per line. */
  details: string[];
}

/** A check of `npm run release:check`. */
export interface ReleaseCheck {
  name: string;
  /** How to repair the problems that this check finds. */
  repair: string;
  run(): CheckResult | Promise<CheckResult>;
}

/** The result of a check that found these problems. */
export const resultOf = (problems: readonly string[], fact: string): CheckResult =>
  problems.length === 0 ? { status: 'ok', details: [fact] } : { status: 'failed', details: [...problems] };
