import { expect } from 'chai';
import { impossibleText, renderLastReconciliation, renderReconciliation } from './render-reconciliation.ts';

const COUNTS = { source: 20_000, equal: 20_000, missing: 0, extra: 0, different: 0, changed: 0 };
const NONE = { removals: 0, snapshots: 0, hiding: 0, impossible: {} };

describe('the result of reconcile as text', () => {
  it('says that the feed equals the source', () =>
    expect(renderReconciliation({ counts: COUNTS, examples: [] })).to.equal(
      '20,000 source lines: 20,000 equal, 0 missing, 0 different. 0 items of the feed are extra.\n' +
        'The feed equals the source.',
    ));

  it('shows examples of each kind, whose text cannot control the terminal, and the next step', () => {
    const text = renderReconciliation({
      counts: { ...COUNTS, equal: 19_996, missing: 1, extra: 2, different: 1, changed: 2 },
      examples: [
        { id: 'a\x1b[2J', kind: 'missing', why: 'hidden:price' },
        { id: 'b', kind: 'extra' },
        { id: 'c', kind: 'different', members: { title: { source: 'x\x1b', feed: 'y'.repeat(100) } } },
      ],
      corrections: { removals: 2, snapshots: 1, hiding: 0, impossible: {} },
    });
    expect(text).to.contain('2 more listings differ, but received an event after the dump began.');
    expect(text).to.contain(
      'missing:\n  a\\u001b[2J: hidden:price\nextra:\n  b\n  …\ndifferent:\n  c: title is',
    );
    expect(text).not.to.contain('\x1b');
    expect(text).to.contain('Corrections: 2 removals and 1 snapshot.');
    const impossible = { 'only-version': { count: 1, example: 'c: its content is equal' } };
    const without = renderReconciliation({
      counts: { source: 1, equal: 0, missing: 0, extra: 0, different: 1, changed: 0 },
      examples: [],
      corrections: { removals: 0, snapshots: 0, hiding: 0, impossible },
    });
    expect(without).to.contain('No event can correct these differences').and.not.to.contain('0 removals');
  });

  it('shows the rows of the last comparison, and how to correct them', () => {
    const record = { ...COUNTS, equal: 19_998, missing: 2, extra: 1, at: 'T2', as_of: 'T1' };
    expect(
      renderLastReconciliation({
        ...record,
        rows: [
          { id: 'a\x1b', kind: 'missing', why: 'unseen' },
          { id: 'b', kind: 'extra' },
        ],
        correctable: 1,
      }),
    ).to.equal(
      'T2: 20,000 source lines of T1: 19,998 equal, 2 missing, 0 different. 1 item of the feed is extra.\n' +
        'missing  a\\u001b: unseen\nextra  b\n…\n' +
        'reconciliation --corrections prints the events that correct 1 of these',
    );
    expect(renderLastReconciliation(record).split('\n')).to.have.length(1);
    const refused = renderLastReconciliation({ ...record, rows: [], correctable: 0, refusal: 'too many' });
    expect(refused)
      .to.contain('No corrections are kept, because too many')
      .and.not.to.contain('--corrections');
  });

  it('says why listings were not corrected', () =>
    expect(
      impossibleText({ ...NONE, impossible: { 'incomplete-line': { count: 3, example: 'a: images' } } }),
    ).to.deep.equal([
      '3 listings were not corrected, because their lines do not name the whole listing, for example a: images',
    ]));
});
