import { AD_TYPE_NAMES } from '@vitrine/feed-index/ad-types';
import type { RequestBudget } from '../budget/request-budget.ts';
import type { ChangesSearch } from '../search/changes/changes-search.ts';
import { joined, type Shown } from './answer-text.ts';
import { argumentSchemas, type InputSchema, type ToolName } from './argument-schemas.ts';
import { type AvailabilityArguments, checkAvailability } from './by-id/check-availability.ts';
import { type GetListingArguments, getListing } from './by-id/get-listing.ts';
import { type ChangesArguments, listChanges } from './list-changes.ts';
import { type FacetArguments, listFacets } from './list-facets.ts';
import type { ListingSource, ListingSources } from './listing-source.ts';
import { type SearchArguments, searchListings } from './search/search-listings.ts';
import type { Draft } from './token-budget.ts';
import { argumentReader } from './tool-arguments.ts';

/** A tool for agents, independent of any protocol. */
export interface AgentTool {
  name: ToolName;
  title: string;
  description: string;
  inputSchema: InputSchema;
  /**
   * @param given the arguments as the client sent them
   * @param budget counts everything that the call reads
   * @throws BadArguments, UnknownListing, ExpiredChanges, BudgetExceeded; the errors of ListingSource
   */
  call(given: unknown, budget: RequestBudget, signal: AbortSignal): Promise<Draft>;
}

export interface AgentToolsOptions {
  sources: ListingSources;
  changes: Pick<ChangesSearch, 'page'>;
  localRadiusKm: number;
}

/** Creates the five tools, always in the same order. Rule: docs/reference/agents.md. */
export function createAgentTools({ sources, changes, localRadiusKm }: AgentToolsOptions): AgentTool[] {
  const schemas = argumentSchemas(localRadiusKm);
  const tool = <Arguments extends object>(
    name: ToolName,
    title: string,
    description: string,
    call: (
      source: ListingSource,
      args: Arguments,
      signal: AbortSignal,
      budget: RequestBudget,
    ) => Promise<Draft>,
  ): AgentTool => {
    const read = argumentReader<Arguments>(schemas[name]);
    return {
      name,
      title,
      description,
      inputSchema: schemas[name],
      call: async (given, budget, signal) => {
        const { args, notes } = read(given);
        return withNotes(await call(sources(budget), args, signal, budget), notes);
      },
    };
  };
  return [
    tool<SearchArguments>(
      'search_listings',
      'Search listings',
      `Finds listings of a Brazilian marketplace (${AD_TYPE_NAMES.join(', ')}) with the exact total. With date: only listings ` +
        'that are free on every night, each with total_price and nights (here the price of each night). To suggest ' +
        'other dates for a stay, use neighbouring_stays: each entry says how many listings are free for the whole ' +
        'stay, and the lowest and highest total. neighbouring_dates only counts single dates. state is the state ' +
        'of Brazil. If nothing matches, the answer says which filter is the reason and suggests existing values. ' +
        'There is no filter for guests or rooms: read the titles, or descriptions with detail: detailed. Prices in BRL.',
      searchListings,
    ),
    tool<GetListingArguments>(
      'get_listing',
      'Get listings by id',
      'Returns listings with their descriptions and their calendars as ranges of dates, free or taken, with the price ' +
        'per date. Dates after calendar_until are unknown, not taken.',
      getListing,
    ),
    tool<AvailabilityArguments>(
      'check_availability',
      'Check dates of listings',
      'Tells whether each listing is free on all dates from date to date_to, its total price, unavailable_dates ' +
        '(taken or past), unknown_dates (the calendar does not contain them; they may be free), and the nearest ' +
        'free dates of the same length before and after.',
      checkAvailability,
    ),
    tool<FacetArguments>(
      'list_facets',
      'List cities, categories or ad types',
      'Lists the existing values of one filter, most frequent first, with a label, the number of listings and their ' +
        'lowest price, counted among the listings that match the other arguments. Use it instead of guessing a ' +
        'category or a city, and copy the value into the filter.',
      listFacets,
    ),
    tool<ChangesArguments>(
      'list_changes',
      'List changes of the feed',
      'Lists what changed in the feed, oldest change first: for "what is new or cheaper since yesterday", with the time, the ' +
        'kind and the previous price of each change, and for keeping a copy up to date. One change per ' +
        'listing: the last one. state says whether the listing is still in the feed; it is not a place. Not for searching.',
      (source, args, signal, budget) => listChanges(changes, source.today(), args, signal, budget),
    ),
  ];
}

/** Puts notes about the arguments before the text of an answer, and adds them to the answer's data. */
function withNotes(draft: Draft, notes: readonly Shown[]): Draft {
  if (notes.length === 0) return draft;
  const noted =
    (render: Draft['render']): Draft['render'] =>
    (count) => {
      const { text, structured } = render(count);
      const own = (structured['notes'] as readonly Shown[] | undefined) ?? [];
      return {
        text: joined([...notes, text], '\n'),
        structured: { ...structured, notes: [...notes, ...own] },
      };
    };
  return { ...draft, render: noted(draft.render), ...(draft.brief && { brief: noted(draft.brief) }) };
}
