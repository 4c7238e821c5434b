import { EMPTY_STATE } from '@vitrine/listing';
import { expect } from 'chai';
import { listingDeadLetter } from './dead-letter.ts';

describe('the dead letter of a listing', () => {
  const stored = { index: 'p-states-2', id: 'a', revision: 7, state: EMPTY_STATE };

  it('holds the state, with the states index as its origin', () => {
    const { record, reason, detail } = listingDeadLetter(stored, 'why');
    expect({ reason, detail }).to.deep.equal({
      reason: 'listing-failed',
      detail: 'state revision 7: why',
    });
    expect(record).to.deep.include({ topic: 'p-states-2', partition: 0, offset: '0', key: Buffer.from('a') });
    expect(JSON.parse(String(record.value))).to.deep.equal(EMPTY_STATE);
  });

  it('is the same for the same state at a later revision', () =>
    expect(listingDeadLetter({ ...stored, revision: 8 }, 'why').record).to.deep.equal(
      listingDeadLetter(stored, 'why').record,
    ));

  it('omits a state that may be too large for the dead-letter topic', () => {
    const fields = { description: [1, 'é'.repeat(300_000)] as const };
    expect(listingDeadLetter({ ...stored, state: { ...EMPTY_STATE, fields } }, 'why').record.value).to.equal(
      null,
    );
  });
});
