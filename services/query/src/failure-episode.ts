/** Time without a failure after which an episode counts as over. Long enough that a flapping state writes few lines. */
const QUIET_MS = 10_000;
/** Milliseconds between two summaries of an episode that goes on. */
const SUMMARY_EVERY_MS = 30_000;
/** Distinct reasons that one episode remembers. Elasticsearch's own messages can differ with each request. */
const MAX_REASONS = 8;
const MAX_REASON_LENGTH = 200;
const OTHER_REASONS = 'other reasons';

/** What is known of an episode now. */
export interface EpisodeSummary {
  /** From the first failure to the latest one. */
  durationSeconds: number;
  /** Failed requests since the beginning. */
  requests: number;
  /** The same since the summary before. */
  requestsSinceLast: number;
  /** Failed requests since the beginning, by reason; at most 9 entries. */
  reasons: Record<string, number>;
}

/** How a failure relates to those before it. */
export type FailureNews = 'first' | 'new reason' | 'known';

interface Episode {
  begunAt: number;
  lastAt: number;
  summaryAt: number;
  requests: number;
  summarized: number;
  reasons: Map<string, number>;
}

/**
 * Joins failures of one kind that follow each other into an episode, and decides when the log needs a line about it:
 * at its beginning, every 30 s while it goes on, and 10 s after its last failure. The number of lines therefore
 * depends on time alone, never on the number of requests.
 */
export class FailureEpisode {
  readonly #now: () => number;
  #episode: Episode | undefined;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Adds a failure.
   * @param requests 1 = a request was refused; 0 = work in the background failed, and no request was refused
   */
  failed(reason: string, requests: 0 | 1): FailureNews {
    const now = this.#now();
    const isFirst = this.#episode === undefined;
    this.#episode ??= { begunAt: now, lastAt: now, summaryAt: now, requests: 0, summarized: 0, reasons: new Map() };
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

  /** To be called about once per second. @returns the summary that is due, if one is */
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

  /** Ends the episode now. @returns its summary, if there is one */
  close(): EpisodeSummary | undefined {
    const episode = this.#episode;
    this.#episode = undefined;
    return episode && summaryOf(episode);
  }
}

const summaryOf = ({ begunAt, lastAt, requests, summarized, reasons }: Episode): EpisodeSummary => ({
  durationSeconds: Math.round((lastAt - begunAt) / 100) / 10,
  requests,
  requestsSinceLast: requests - summarized,
  reasons: Object.fromEntries([...reasons].filter(([, count]) => count > 0)),
});
