import { expect } from 'chai';
import { TODAY } from '../../dataset.ts';
import { marketChanges, marketListings } from '../market.ts';
import { oracleListing } from '../oracle/oracle-listing.ts';
import { newestFirst } from '../oracle/selection.ts';
import { questionsAbout, questionsOfPeople } from './index.ts';

describe('questions of the bench', function () {
  // Generating the smallest market takes a second.
  this.timeout(30_000);

  it('have an answer in the smallest market', () => {
    const listings = newestFirst([...marketListings(3_000)].map((listing) => oracleListing(listing, TODAY)));
    const now = Date.parse('2026-12-01T12:00:00Z');
    const market = { listings, today: TODAY, now, changes: marketChanges(listings, now) };
    const questions = [...questionsAbout(market), ...questionsOfPeople(market)];
    expect(new Set(questions.map(({ name }) => name))).to.have.length(12 + 15);
    for (const { name, expected } of questions) {
      expect(expected.ids.length + Object.keys(expected.facts).length, name).to.be.greaterThan(0);
      expect(Object.values(expected.facts), name).to.not.include('none');
    }
    const expected = (name: string) => questions.find((each) => each.name === name)?.expected;
    expect(expected('impossible price')?.facts).to.have.property('total', 0);
    expect(expected('impossible price')?.facts['total without max_price']).to.be.greaterThan(0);
    expect(expected('city by its nickname')?.ids).to.not.deep.equal([]);
  });
});
