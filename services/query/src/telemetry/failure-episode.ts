/**
 * An episode ends after this long without a failure, in milliseconds. The time is long enough that a flapping
 * state produces only a few log lines.
 */
const QUIET_MS = 10_000;
/** Interval between the summaries of a continuing episode. */
const SUMMARY_EVERY_MS = 30_000;
/** Maximum number of distinct reasons per episode. Elasticsearch's messages can differ with every request. */
const MAX_REASONS = 8;
const MAX_REASON_LENGTH = 200;
const OTHER_REASONS = 'other reasons';

/** The state of an episode in a log line. */
export interface EpisodeSummary {
  /** Time from the first to the latest failure. */
  durationSeconds: number;
  /** Number of failed requests since the first failure. */
  requests: number;
  /** Number of failed requests since the previous summary. */
  requestsSinceLast: number;
  /** Number of failed requests since the first failure, by reason, with at most 9 entries. */
  reasons: Record<string, number>;
}

/** How a failure relates to the earlier failures of its episode. */
export type FailureNovelty = 'first' | 'new reason' | 'known';

interface Episode {
  startedAt: number;
  lastAt: number;
  summaryAt: number;
  requests: number;
  summarized: number;
  reasons: Map<string, number>;
}

/**
 * Groups consecutive failures of one kind into an episode, and decides when to log a line: at the beginning
 * of an episode, every 30 s while it continues, and 10 s after its last failure. Therefore the number of
 * lines depends only on time, never on the number of requests.
 */
export class FailureEpisode {
  readonly #now: () => number;
  #episode: Episode | undefined;

  /** @param now returns the time of a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Adds a failure.
   * @param requests 1 if a request failed; 0 if only work in the background failed
   */
  failed(reason: string, requests: 0 | 1): FailureNovelty {
    const now = this.#now();
    const isFirst = this.#episode === undefined;
    this.#episode ??= {
      startedAt: now,
      lastAt: now,
      summaryAt: now,
      requests: 0,
      summarized: 0,
      reasons: new Map(),
    };
    const { reasons } = this.#episode;
    this.#episode.lastAt = now;
    this.#episode.requests += requests;
    const given = reason.slice(0, MAX_REASON_LENGTH);
    const isKnown = reasons.has(given);
    const name = isKnown || reasons.size < MAX_REASONS ? given : OTHER_REASONS;
    reasons.set(name, (reasons.get(name) ?? 0) + requests);
    if (isFirst) return 'first';
    return isKnown || name === OTHER_REASONS ? 'known' : 'new reason';
  }

  /** Call this about once per second. @returns the summary that is due, if any */
  due(): { state: 'continues' | 'ended'; summary: EpisodeSummary } | undefined {
    const episode = this.#episode;
    if (!episode) return undefined;
    const now = this.#now();
    if (now - episode.lastAt >= QUIET_MS) {
      this.#episode = undefined;
      return { state: 'ended', summary: summaryOf(episode) };
    }
    if (now - episode.summaryAt < SUMMARY_EVERY_MS) return undefined;
    const summary = summaryOf(episode);
    episode.summaryAt = now;
    episode.summarized = episode.requests;
    return { state: 'continues', summary };
  }

  /** Ends the current episode. @returns its summary; undefined if there is no episode */
  close(): EpisodeSummary | undefined {
    const episode = this.#episode;
    this.#episode = undefined;
    return episode && summaryOf(episode);
  }
}

const summaryOf = ({ startedAt, lastAt, requests, summarized, reasons }: Episode): EpisodeSummary => ({
  durationSeconds: Math.round((lastAt - startedAt) / 100) / 10,
  requests,
  requestsSinceLast: requests - summarized,
  reasons: Object.fromEntries([...reasons].filter(([, count]) => count > 0)),
});
