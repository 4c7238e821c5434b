import { expect } from 'chai';
import { shown } from '../dead-letters/show-dead-letter.ts';
import type { DeadLetterSummary } from '../dead-letters/stored-dead-letter.ts';
import { renderDeadLetter, renderDeadLetters, renderRetry } from './render-dead-letters.ts';

const NONE = { total: 0, retried: 0, dismissed: 0, corrected: 0, byReason: {}, causes: [] };

describe('dead letters as text', () => {
  const summary: DeadLetterSummary = {
    ref: '11:1234567',
    key: `l-${'k'.repeat(200)}`,
    reason: 'tombstone-without-version',
    detail: `a \x1b[31mred\x1b[0m sentence ${'that goes on '.repeat(30)}`,
    time: '2026-01-02T03:04:05.678Z',
    origin: { topic: 't', partition: 1, offset: '2' },
    bytes: 4_000_000,
    retried: true,
    dismissed: { reason: `\x1b[31m${'why '.repeat(120)}`, at: '2026-01-02T03:04:05.678Z' },
    corrected: [1, 7],
    retryOf: '1:2',
  };

  it('fit 120 columns, and contain no terminal control characters', () => {
    const list = renderDeadLetters({
      total: 3,
      retried: 1,
      dismissed: 2,
      corrected: 1,
      byReason: { schema: 2, 'not-json': 1 },
      causes: [
        {
          id: '0123456789',
          reason: 'tombstone-without-version',
          path: `/data/\x1b[31m${'p'.repeat(200)}`,
          source: `/\u202e${'s'.repeat(200)}`,
          count: 1_234_567,
          newest: summary.time,
        },
      ],
      newest: [summary],
    });
    const retry = renderRetry({
      dryRun: true,
      sent: 2,
      alreadyRetried: 1,
      dismissed: 3,
      corrected: 4,
      stillRefused: [summary],
      stillRefusedTotal: 1,
      notRetryable: [summary],
      notRetryableTotal: 30,
    });
    for (const line of `${list}\n${retry}`.split('\n')) expect(line.length, line).to.be.at.most(120);
    expect(list + retry).not.to.contain('\x1b');
    expect(list)
      .to.contain(
        '3 dead letters: 2 schema, 1 not-json; 1 sent again; 2 dismissed; 1 corrected by a later version',
      )
      .and.to.contain('The newest 1 are shown');
    expect(retry).to.contain('4 were corrected by a later version and left out');
    expect(retry).to.contain('2 would be sent again').and.to.contain('and 10 more');
  });

  it('show a dead letter with JSON, text or bytes', () => {
    const deadLetter = (value: Buffer | null, headers = {}) =>
      shown({ ...summary, kind: 'dead-letter', record: { key: null, value, headers } }, { retried: false });
    const json = deadLetter(Buffer.from('{"a":[1]}'), {
      h: [Buffer.from('x'), Buffer.from([0xff])],
      none: null,
    });
    expect(json).to.deep.include({
      value: { text: '{"a":[1]}' },
      json: { a: [1] },
      valueBytes: 9,
      retryable: true,
    });
    expect(json.headers).to.deep.equal({ h: [{ text: 'x' }, { base64: '/w==' }], none: null });
    expect(renderDeadLetter(json))
      .to.contain('"a": [')
      .and.to.contain('header  h: base64:/w==')
      .and.to.contain('header  none: (null)');
    expect(deadLetter(Buffer.from('{')))
      .to.deep.include({ value: { text: '{' } })
      .and.not.to.have.property('json');
    expect(renderDeadLetter(deadLetter(Buffer.from([0xff]))))
      .to.contain('not UTF-8')
      .and.to.contain('/w==');
    expect(renderDeadLetter(deadLetter(null))).to.contain('value   (null)');
    expect(renderDeadLetter(json)).not.to.contain('\x1b');
  });

  it('report that none exist', () => {
    expect(renderDeadLetters({ ...NONE, newest: [] })).to.equal('No dead letters');
  });
});
