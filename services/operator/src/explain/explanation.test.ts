import { HIDDEN } from '@vitrine/listing';
import { expect } from 'chai';
import type { DeadLetterList } from '../dead-letters/dead-letter-collector.ts';
import { renderExplanation } from '../text/render-explanation.ts';
import {
  type ExplainedGeneration,
  type ExplainedState,
  type Explanation,
  type HistoryRecord,
  summarizeCalendar,
} from './explanation.ts';
import { summarize, verdictOf } from './explanation-text.ts';

describe('an explanation', () => {
  const state: ExplainedState = {
    revision: 3,
    removed: 0,
    replaced: 0,
    fields: { title: { version: 1, value: `Casa ${'x'.repeat(300)}` }, url: { version: 2, value: null } },
    calendar: { kept: 3, visible: 2, open: 1, today: '2026-01-01' },
    dates: {},
  };
  const item = {
    revision: 3,
    publishedAt: '2026-01-01T00:00:00.000Z',
    calendarDates: 2,
    feedItem: {
      id: 'a',
      title: 'Casa',
      price: 1,
      currency: 'BRL' as const,
      location: { city: 'Curitiba', country: 'BR' as const },
      url: 'https://a.example/',
    },
  };
  const deadLetters = (total: number): DeadLetterList => ({
    total,
    retried: 0,
    dismissed: 0,
    corrected: 0,
    byReason: {},
    causes: [],
    newest: [],
  });
  const live = (changes: Partial<ExplainedGeneration> = {}): ExplainedGeneration => ({
    number: 1,
    role: 'live',
    agrees: true,
    ...changes,
  });
  const verdict = (generations: ExplainedGeneration[], total = 0) =>
    summarize({ id: 'a', generations, deadLetters: deadLetters(total) });

  it('begins with the answer', () => {
    expect(verdict([live({ state, item })])).to.equal('listing a is in the feed');
    expect(verdict([live({ state, item })], 1)).to.equal(
      'listing a is in the feed, and 1 of its records is an open dead letter',
    );
    expect(verdict([live({ state, hidden: 'price' })])).to.equal(
      'listing a is not in the feed: price (no price above 0)',
    );
    expect(verdict([live({ state: { ...state, removed: 7 }, hidden: 'removed' })])).to.equal(
      'listing a is not in the feed: removed at version 7',
    );
    expect(verdict([live({ state: { ...state, removed: [1, 7] }, hidden: 'removed' })])).to.equal(
      'listing a is not in the feed: removed at version 7 of epoch 1',
    );
    expect(verdict([live({ state, agrees: false })]))
      .to.contain('its item is missing')
      .and.to.contain('verify --self');
    expect(verdict([live({ state, item, agrees: false })])).to.contain(
      'its item does not match its state. Run verify --self',
    );
    expect(verdict([live({ state, item, agrees: false, otherVersions: true })])).to.contain(
      'built with other rules',
    );
    expect(verdict([live({ state, item, hidden: 'url', agrees: false })])).to.contain(
      'although its state hides the listing: url',
    );
    expect(verdict([live({ item, agrees: false })])).to.contain('although generation 1 has no state');
    expect(verdict([live(), { number: 2, role: 'ready', state, item, agrees: true }])).to.contain(
      'only generation 2 holds the listing',
    );
    expect(verdict([live({ trouble: 'gone' })])).to.contain('could not read the live generation 1 (gone)');
    expect(verdict([])).to.contain('no generation is live');
    expect(verdict([live()], 2)).to.contain('the listing has only dead letters (2)');
    expect(verdict([live()])).to.equal(
      'listing a is unknown, because no generation and no dead letter contains this listing id',
    );
  });

  it('gives a code for each answer, which pages translate', () => {
    const code = (generations: ExplainedGeneration[], total = 0) =>
      verdictOf({ generations, deadLetters: deadLetters(total) });
    const other: ExplainedGeneration = { number: 2, role: 'ready', state, item, agrees: true };
    expect([
      code([live({ state, item })]),
      code([live({ item })]),
      code([live({ state, item, hidden: 'url' })]),
      code([live({ state, item, agrees: false })]),
      code([live({ state, hidden: 'price' })]),
      code([live({ state })]),
      code([live({ state, failure: 'x' })]),
      code([live(), other]),
      code([live()], 1),
      code([live()]),
      code([other]),
      code([live({ trouble: 'x' })]),
    ]).to.deep.equal([
      'in',
      'in-without-state',
      'in-although-hidden',
      'in-but-different',
      'hidden',
      'item-missing',
      'rules-failed',
      'not-in-live-generation',
      'only-dead-letters',
      'unknown',
      'no-live-generation',
      'unreadable',
    ]);
  });

  it('is text of at most 120 columns', () => {
    const explanation: Explanation = {
      id: 'a',
      found: true,
      verdict: 'in',
      summary: 'v',
      generations: [
        live({ state, item, position: { at: 2, of: 3_000 } }),
        { number: 2, role: 'ready', agrees: true },
      ],
      deadLetters: deadLetters(0),
    };
    const text = renderExplanation(explanation);
    for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(120);
    for (const part of [
      'Generation 1 (live)',
      'position 2 of 3,000',
      '(cleared)',
      '3 dates kept, 2 visible, 1 open from 2026-01-01 on',
      'this generation has no data for the listing',
    ])
      expect(text).to.contain(part);
  });

  it('shows dropped members, ignored events and the history within 120 columns', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const hostile = `/source\u202e${'s'.repeat(30)}`;
    const record = (more: Partial<HistoryRecord>): HistoryRecord => ({
      partition: 0,
      offset: '123456',
      at,
      kind: 'changed',
      ...more,
    });
    const fields = ['title', 'price', 'location', 'images', 'url'];
    const text = renderExplanation({
      id: 'a',
      found: true,
      verdict: 'in',
      summary: 'v',
      generations: [
        live({
          state,
          item,
          dropped: [{ member: 'rating', detail: '7 is not between 0 and 5' }],
          ignored: [
            {
              source: hostile,
              kind: 'changed',
              version: 5,
              time: at,
              member: 'price',
              held: [1, 1_700_000_000_000],
            },
          ],
        }),
      ],
      deadLetters: deadLetters(0),
      history: {
        total: 1_201,
        newest: [
          record({ version: 9, time: at, fields, inEffect: fields }),
          record({ kind: 'availability_changed', version: [1_000_000, 5], dates: 3, inEffect: [] }),
          record({ kind: 'refused', reason: 'schema' }),
        ],
      },
    });
    for (const part of [
      'the rules left out rating: 7 is not between 0 and 5',
      'version 5 at 2026-01-01T00:00:00.000Z changed nothing, because `price` has version 1,700,000,000,000 of epoch 1',
      'History: 1,201 records in the events topic; the table lists the newest 3',
      'nothing',
      'schema',
    ])
      expect(text).to.contain(part);
    expect(text).to.contain('\\u202e').and.not.to.contain('\u202e');
    const table = text.slice(text.indexOf('History:'));
    for (const line of table.split('\n')) expect(line.length, line).to.be.at.most(120);
  });

  it('counts dates that are kept, visible and open', () => {
    const dates = {
      '2025-12-31': [1, true],
      '2026-01-01': [1, true, 5],
      '2026-01-02': [1, false],
      '2026-01-03': HIDDEN,
    } as const;
    const summary = summarizeCalendar({ removed: 0, replaced: 0, fields: {}, dates }, '2026-01-01');
    expect(summary).to.deep.equal({ kept: 4, visible: 3, open: 1, today: '2026-01-01' });
  });
});
