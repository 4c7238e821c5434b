import { deriveItem } from '@vitrine/listing';
import { openApiDocument } from '@vitrine/query';
import { expect } from 'chai';
import fc from 'fast-check';
import { describedResponses } from './described-responses.ts';
import { hostileListing } from './hostile-listings.ts';

describe('contract: items', () => {
  it('of hostile listings satisfy the schemas of both feeds, including formats', () => {
    const { expectSchema } = describedResponses(openApiDocument('/api'));
    let served = 0;
    fc.assert(
      fc.property(hostileListing, (listing) => {
        const { item } = deriveItem('lst-1', listing);
        if (!item) return;
        served++;
        const feedItem: unknown = JSON.parse(JSON.stringify(item.feed_item));
        expectSchema('#/components/schemas/FeedItem', feedItem, item.feed_item.url);
        expectSchema(
          '#/components/schemas/AgentFeedItem',
          { ...(feedItem as object), availability: item.calendar },
          item.feed_item.url,
        );
      }),
      { numRuns: process.env.VITRINE_FULL === '1' ? 20_000 : 1_000 },
    );
    expect(served).to.be.above(100);
  }).timeout(120_000);
});
