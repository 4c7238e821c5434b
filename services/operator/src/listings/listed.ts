/** The lists of listings that are missing from the feed, or that differ from what their sources sent. */
export type ListKind = 'hidden' | 'dropped' | 'superseded' | 'dead-letters';

/** What a list contains. */
export interface ListQuery {
  kind: ListKind;
  /** Selects only this reason (`hidden`, `dead-letters`) or this member (`dropped`). */
  name?: string;
  /** Selects only events from this source (`superseded`, `dead-letters`). */
  source?: string;
  /** Selects only listings whose id contains this string. */
  containing?: string;
}

/** Which part of a list a page contains. */
export interface PageQuery {
  limit: number;
  /** Selects only listings with a higher id. */
  after?: string;
}

/**
 * An entry in a list, as `--json` prints it. `reason` says why the listing is hidden, or why its record is a
 * dead letter. `member` is the dropped member, and `source` is the source of the ignored event.
 */
export interface Listed {
  id: string;
  reason?: string;
  member?: string;
  source?: string;
  detail: string;
}

/** Listings in ascending order of the UTF-8 bytes of their ids. A listing can have several entries. */
export interface ListingsPage {
  listings: Listed[];
  /** The number of listings on all pages. */
  total: number;
  /** The id after which the next page begins. It is absent on the last page. */
  next?: string;
}

export interface ListProgress {
  done: number;
  total: number;
}

/** No rule hides listings for this reason. The command ends with a usage error. */
export class UnknownReasonError extends Error {
  override readonly name = 'UnknownReasonError';
}
