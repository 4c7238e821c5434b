import { type Cost, tokensOf } from './answer.ts';

/** The members of a tool's result that reach the model. */
interface ToolResult {
  isError?: boolean | undefined;
  content: readonly object[];
  structuredContent?: unknown;
}

export type CallTool = (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

interface FilterValue {
  value: string;
  count: number;
  min_total_price?: number;
}

interface FoundListing {
  id: string;
  price: number;
  state?: string;
  total_price?: number;
  stay?: { from: string; to: string; total_price: number };
  image?: string;
}

/** The members of the results that the questions need. The tools' output schemas have all members. */
export interface SearchAnswer {
  total: number;
  next_cursor?: string;
  items: FoundListing[];
  neighbouring_dates?: { date: string; items: number; min_price?: number }[];
  neighbouring_stays?: { from: string; items: number; min_total_price?: number }[];
  calendar_unknown?: number;
  without?: { filter: string; total: number }[];
  suggestions?: Record<string, FilterValue[]>;
}

export interface ListingAnswer {
  id: string;
  calendar: { from: string; to: string; available: boolean; price?: number }[];
}

export interface AvailabilityAnswer {
  id: string;
  available: boolean;
  total_price?: number;
  unavailable_dates: string[];
  nearest: { before?: FreeRange | null; after?: FreeRange | null };
}

interface FreeRange {
  from: string;
  to: string;
}

export interface FacetAnswer {
  values: FilterValue[];
}

export interface ChangesAnswer {
  changes: { id: string; price?: number; previous_price?: number }[];
}

type Args = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * Calls the tools as a model does, and counts what the model writes and reads: the name and the arguments of
 * each call, and the text and the structured content of each result, because some clients pay for both.
 */
export class ToolClient {
  readonly #call: CallTool;
  #calls = 0;
  #tokens = 0;

  constructor(call: CallTool) {
    this.#call = call;
  }

  get cost(): Cost {
    return { calls: this.#calls, tokens: this.#tokens };
  }

  search = (args: Args): Promise<SearchAnswer> => this.#result<SearchAnswer>('search_listings', args);
  /** The first listings of a search. A result may leave out the last ones and continue at a cursor. */
  find = async (args: Args, wanted: number): Promise<FoundListing[]> => {
    const { items, next_cursor } = await this.search({ ...args, limit: wanted });
    if (items.length >= wanted || !next_cursor) return items;
    const rest = await this.search({ ...args, limit: wanted - items.length, cursor: next_cursor });
    return [...items, ...rest.items];
  };
  listing = (args: Args): Promise<ListingAnswer> => this.#result<ListingAnswer>('get_listing', args);
  availability = (args: Args): Promise<AvailabilityAnswer> =>
    this.#result<AvailabilityAnswer>('check_availability', args);
  /** The availability of several listings, by their ids. */
  availabilities = (args: Args): Promise<{ items: AvailabilityAnswer[] }> =>
    this.#result<{ items: AvailabilityAnswer[] }>('check_availability', args);
  facets = (args: Args): Promise<FacetAnswer> => this.#result<FacetAnswer>('list_facets', args);
  changes = (args: Args): Promise<ChangesAnswer> => this.#result<ChangesAnswer>('list_changes', args);

  /** @throws if the tool reports an error or its result has no structured content */
  async #result<Result>(name: string, args: Args): Promise<Result> {
    const { isError, content, structuredContent } = await this.#call(name, args);
    const texts = content.map((block) => ('text' in block ? String(block.text) : JSON.stringify(block)));
    if (isError || structuredContent === undefined)
      throw new Error(`${name} ${JSON.stringify(args)}: ${texts.join(' ').slice(0, 500)}`);
    this.#calls++;
    this.#tokens += tokensOf(name, JSON.stringify(args), ...texts, JSON.stringify(structuredContent));
    return structuredContent as Result;
  }
}
