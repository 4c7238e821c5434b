import { listingEvent, recordOf } from '@vitrine/fixtures';
import { expect } from 'chai';
import type { Deployment, Published } from './deployment.ts';

/** A limit in bytes between the size of one ordinary listing and the size of `HUGE`. */
export const REQUEST_LIMIT = 100_000;
const HUGE = 'huge';
const ORDINARY = 300;

/** Visible listings of 20 KB, and one listing that exceeds `REQUEST_LIMIT` on its own. */
export function largeListings(): Published[] {
  const event = (id: string, letters: number) =>
    recordOf(
      listingEvent(id, 1, new Date(Date.UTC(2026, 0, 1)), {
        type: 'snapshot',
        data: {
          listing: {
            title: 'Casa',
            description: 'ã'.repeat(letters),
            price: 1_000,
            ad_type: 'rent',
            location: { city: 'Recife' },
            url: `https://example.com/${id}`,
          },
        },
      }),
    );
  return [...Array.from({ length: ORDINARY }, (_, i) => event(`l-${i}`, 10_000)), event(HUGE, REQUEST_LIMIT)];
}

/** Asserts that a generation has all ordinary listings, and that `HUGE` is the only dead letter. */
export async function expectOrdinaryListings(deployment: Deployment, generation: number): Promise<void> {
  const ids = [...(await deployment.items(generation)).keys()].sort();
  expect(ids).to.deep.equal(Array.from({ length: ORDINARY }, (_, i) => `l-${i}`).sort());
  const headers = (await deployment.deadLetters()).map(({ key, headers }) => [
    String(key),
    String(headers?.['dead-letter-reason']),
    String(headers?.['dead-letter-detail']),
  ]);
  expect(headers).to.have.length(1);
  expect(headers[0]?.slice(0, 2)).to.deep.equal([HUGE, 'refused-by-index']);
  expect(headers[0]?.[2]).to.match(
    /^request_too_large: .* answered with HTTP status 413 to the 2\d{5} bytes/,
  );
}
