import { expect } from 'chai';
import { TODAY } from '../../dataset.ts';
import { marketListings } from '../market.ts';
import { oracleListing } from '../oracle/oracle-listing.ts';
import { newestFirst } from '../oracle/selection.ts';
import { questionsAbout } from './index.ts';

describe('twelve questions of the bench', function () {
  // Generating the smallest market takes a second.
  this.timeout(30_000);

  it('have an answer in the smallest market', () => {
    const listings = newestFirst([...marketListings(3_000)].map((listing) => oracleListing(listing, TODAY)));
    const questions = questionsAbout({ listings, today: TODAY });
    expect(new Set(questions.map(({ name }) => name))).to.have.length(12);
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
