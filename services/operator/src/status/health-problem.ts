type Fact =
  | { code: 'no-live-generation' }
  /**
   * No projector reads the events for the live generation. `records` counts the events that the feed lacks.
   */
  | { code: 'projector-missing'; records: number }
  /** A projector is a member of the group, but has finished no record since `since`. */
  | { code: 'projector-stalled'; records: number }
  | { code: 'feed-behind'; records: number; seconds: number; capped: boolean }
  | { code: 'open-transaction'; partition: number; seconds: number; capped: boolean }
  | { code: 'generation-trouble'; generation: number; message: string }
  | { code: 'other-rules-module'; message: string }
  | { code: 'rebuild-interrupted'; generation: number }
  | { code: 'verify-failed'; unrepaired: number }
  | { code: 'reconcile-differs'; differences: number }
  | { code: 'reconcile-failed'; message: string }
  /** Only the console, which reads the status repeatedly, can know the following facts. */
  | { code: 'engine-silent'; engine: Engine; message: string }
  | { code: 'status-unreadable'; message: string }
  | { code: 'status-slow' };

export type Engine = 'elasticsearch' | 'kafka';

/**
 * Something that needs attention, as a code with parameters. `bad` means that the feed is wrong or late, or
 * will be. `since` is the time when the console first saw the problem, in epoch milliseconds.
 */
export type HealthProblem = Fact & { level: 'warn' | 'bad'; since?: number };
