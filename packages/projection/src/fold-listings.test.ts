import { ITEM_MAPPING_VERSION } from '@vitrine/feed-index';
import { EMPTY_STATE, rulesWith } from '@vitrine/listing';
import { expect } from 'chai';
import { foldGroups } from './fold-listings.ts';
import { documentRules } from './generations/generation-versions.ts';

describe('a listing for which a rules module fails', () => {
  const failure = async (thrown: unknown): Promise<string> => {
    const hide = () => {
      throw thrown;
    };
    const rules = rulesWith({ name: 'shop', version: 1, reasons: { image: 'no image' }, hide }, 'abc');
    const fields = { title: 'Casa', price: 1, location: { city: 'Natal' }, url: 'https://a.example/' };
    const failures: string[] = [];
    const groups = foldGroups(
      {
        rules: documentRules({ items: ITEM_MAPPING_VERSION }, rules),
        writesItems: true,
        writesEntries: false,
        notesChanges: () => true,
        now: () => 0,
      },
      new Map([['a', { state: EMPTY_STATE }]]) as never,
      new Map([['a', [{ kind: 'changed', id: 'a', version: 1, time: 0, fields }]]]) as never,
      (_, detail) => failures.push(detail),
      () => 1_000_000,
    );
    for await (const _ of groups) expect.fail('the listing has no result');
    return failures.join();
  };

  it('gets a dead letter of a bounded size, because a larger one would stop the projector', async () => {
    expect(await failure(new Error('x'.repeat(3_000_000))))
      .to.match(/folded: Error: x+…$/)
      .and.have.length.below(400);
    expect(await failure(Object.create(null))).to.include('object without a text form');
  });
});
