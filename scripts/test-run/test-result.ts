/** The result of one test, or of a hook that failed. */
export interface TestResult {
  /** Path of the test file. */
  file: string;
  /** Titles of the suites and of the test. */
  titles: string[];
  outcome: 'passed' | 'failed' | 'skipped';
  ms: number;
  /** The error of a failed test. */
  text?: string;
  /** Line of the test file that threw the error. */
  line?: number;
}
