import type { Availability as IndexedAvailability, FeedItem as IndexedItem } from '@vitrine/feed-index';
import { expect } from 'chai';
import type { Static } from 'typebox';
import type { BadParameter } from '../filters/filter.ts';
import type { FeedContent } from '../response/feed-response.ts';
import type { PricedStay } from '../stored/cheapest-stay.ts';
import type { AgentFeedItem, Availability, FeedItem, FeedResponse, ParameterError } from './feed-schema.ts';

/** Expands a type member by member, so that two spellings of the same type compare equal. */
type Plain<T> = T extends readonly (infer Element)[]
  ? Plain<Element>[]
  : T extends object
    ? { [K in keyof T]: Plain<T[K]> }
    : T;
type Equal<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** A response can add a stay to the indexed item. */
type ServedItem = IndexedItem & { stay?: PricedStay };

/** Compiles only if each schema matches the type of the indexed item or of the response. */
const same = {
  availability: true satisfies Equal<Static<typeof Availability>, IndexedAvailability>,
  item: true satisfies Equal<Static<typeof FeedItem>, ServedItem>,
  agentItem: true satisfies Equal<AgentFeedItem, ServedItem & { availability: IndexedAvailability[] }>,
  meta: true satisfies Equal<Omit<FeedResponse['meta'], 'generatedAt'>, FeedContent['meta']>,
  errors: true satisfies Equal<Static<typeof ParameterError>, BadParameter>,
};

describe('feed schema', () => {
  it('matches the types of the indexed item and of the response', () => {
    expect(Object.values(same)).to.deep.equal([true, true, true, true, true]);
  });
});
