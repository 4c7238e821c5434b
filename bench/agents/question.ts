import type { Answer } from './answer.ts';
import type { FeedClient } from './feed-client.ts';
import type { OracleListing } from './oracle/oracle-listing.ts';
import type { ToolClient } from './tool-client.ts';

/** A user's question, with the answer and two ways to find it. */
export interface Question {
  /** What the question tests. */
  name: string;
  /** What the user says, in Portuguese or English. */
  text: string;
  /** The answer according to the oracle. */
  expected: Answer;
  /** Finds the answer with at most two tool calls. */
  byTools(tools: ToolClient): Promise<Answer>;
  /**
   * Finds the answer in the agent feed with as few tokens as a careful client can. It is absent if no client
   * can.
   */
  byFeed?(feed: FeedClient): Promise<Answer>;
  /** What release 1.1.0's tools needed for a question of this kind. */
  before?: Before;
}

/** The cost with an earlier release. */
export interface Before {
  calls: number;
  /** The number of tokens; absent if the calls found no answer. */
  tokens?: number;
}

/** The market that the users ask about. */
export interface AskedMarket {
  /** Newest first. */
  listings: readonly OracleListing[];
  /** YYYY-MM-DD. */
  today: string;
  /** Epoch milliseconds. */
  now: number;
  /** The last changes, in any order. */
  changes: readonly AskedChange[];
}

/** A change of a listing's price. */
export interface AskedChange {
  listing: OracleListing;
  /** Epoch milliseconds. */
  at: number;
  previousCents: number;
}

/** The number of listings that a user wants to see: the default of `search_listings`. */
export const WANTED = 5;
/** The same number for a stay. A result with several nights has less room for listings. */
export const WANTED_STAYS = 3;

/** The ids of the first listings, without further facts. */
export const firstIds = (listings: readonly { id: string }[], wanted = WANTED): Answer => ({
  ids: listings.slice(0, wanted).map(({ id }) => id),
  facts: {},
});
