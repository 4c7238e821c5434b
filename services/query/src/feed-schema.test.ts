import type { Availability as IndexedAvailability, FeedItem as IndexedItem } from '@vitrine/feed-index';
import { expect } from 'chai';
import type { Static } from 'typebox';
import type { BadParameter } from './feed-parameters.ts';
import type { FeedContent } from './feed-response.ts';
import type { Availability, FeedItem, FeedResponse, ParameterError } from './feed-schema.ts';

/** Written out member by member, so that two spellings of one type compare equal. */
type Plain<T> = T extends readonly (infer Element)[] ? Plain<Element>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Equal<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** Does not compile where a schema and the type of what is indexed or answered have drifted apart. */
const same = {
  availability: true satisfies Equal<Static<typeof Availability>, IndexedAvailability>,
  item: true satisfies Equal<Static<typeof FeedItem>, IndexedItem & { availability?: IndexedAvailability[] }>,
  meta: true satisfies Equal<Omit<FeedResponse['meta'], 'generatedAt'>, FeedContent['meta']>,
  errors: true satisfies Equal<Static<typeof ParameterError>, BadParameter>,
};

describe('feed schema', () => {
  it('has the types of what is indexed and answered', () => {
    expect(Object.values(same)).to.deep.equal([true, true, true, true]);
  });
});
