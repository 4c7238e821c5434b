import type { SourceRecord } from '@vitrine/kafka';
import { toMessage } from '@vitrine/projection/dead-letters';
import { expect } from 'chai';
import {
  dismissalMark,
  holdsRecord,
  identityOf,
  retryMark,
  type StoredDeadLetter,
  summaryOf,
  toStoredDeadLetter,
} from './stored-dead-letter.ts';

describe('toLetter', () => {
  const record: SourceRecord = {
    topic: 'events',
    partition: 3,
    offset: '99',
    key: Buffer.from('a'),
    value: Buffer.from([0xff, 0]),
    headers: { trace: Buffer.from([1]), several: [Buffer.from('x'), Buffer.from('y')], nothing: null },
  };
  const written = (changes: Partial<SourceRecord> = {}) => {
    const { key, value, headers } = toMessage(
      { record: { ...record, ...changes }, reason: 'not-utf8', detail: 'why' },
      new Date('2026-01-02T03:04:05Z'),
    );
    // A reader of the topic gets every header as bytes.
    const bytes = Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, header]) => [
        name,
        typeof header === 'string' ? Buffer.from(header) : header,
      ]),
    );
    return {
      key: key as Buffer | null,
      value: value as Buffer | null,
      headers: bytes,
      offset: '7',
      timestamp: '0',
    };
  };

  it('reads the records that the projector wrote, including null headers', () => {
    const deadLetter = toStoredDeadLetter('events.dead-letters', 1, written()) as StoredDeadLetter;
    expect(summaryOf(deadLetter, { retried: false })).to.deep.equal({
      ref: '1:7',
      key: 'a',
      reason: 'not-utf8',
      detail: 'why',
      time: '2026-01-02T03:04:05.000Z',
      origin: { topic: 'events', partition: 3, offset: '99' },
      bytes: 32,
      retried: false,
    });
    expect(deadLetter.record).to.deep.equal({
      key: record.key,
      value: record.value,
      headers: record.headers,
    });
    expect(holdsRecord(deadLetter)).to.equal(true);
    expect(holdsRecord({ reason: 'batch-too-large' })).to.equal(false);
  });

  it('tells the records of a recreated topic apart, even if their bytes are equal', () => {
    const [old, recreated] = ['ABEiM0RVZneImaq7zN3u_w', '_w3cuqmIh3ZmVUQzIhEAAA'].map(
      (topicId) => toStoredDeadLetter('events.dead-letters', 1, written({ topicId })) as StoredDeadLetter,
    ) as [StoredDeadLetter, StoredDeadLetter];
    expect(old.origin).to.include({ topicId: 'ABEiM0RVZneImaq7zN3u_w' });
    expect(old.record.headers).to.deep.equal(record.headers);
    expect(identityOf(old)).not.to.equal(identityOf(recreated));
  });

  it('gives all dead letters of a record the same identity, but not those of another record at its position', () => {
    const [first, again, other] = [
      written(),
      { ...written(), offset: '9' },
      written({ value: Buffer.from('other') }),
    ].map((message) => identityOf(toStoredDeadLetter('events.dead-letters', 1, message) as StoredDeadLetter));
    expect(again).to.equal(first);
    expect(other).not.to.equal(first);
  });

  it('shows a key that is not text as base64, and a missing key as null', () => {
    expect(
      (toStoredDeadLetter('t', 0, written({ key: Buffer.from([0xff]) })) as StoredDeadLetter).key,
    ).to.equal('base64:/w==');
    expect((toStoredDeadLetter('t', 0, written({ key: null })) as StoredDeadLetter).key).to.equal(null);
  });

  it('recognizes the mark of a retry, but not a refused record that looks like a mark', () => {
    const deadLetter = toStoredDeadLetter('events.dead-letters', 1, written()) as StoredDeadLetter;
    const { key, value, partition, headers } = retryMark(deadLetter, new Date());
    expect(partition).to.equal(1);
    const mark = toStoredDeadLetter('events.dead-letters', 1, {
      key,
      value,
      headers,
      offset: '8',
      timestamp: '0',
    });
    expect(mark).to.deep.equal({ kind: 'mark', ref: '1:7', origin: deadLetter.origin });
    const poison = toStoredDeadLetter(
      't',
      0,
      written({ value: null, headers: { 'dead-letter-retried': Buffer.from('1:7') } }),
    ) as StoredDeadLetter;
    expect(poison.kind).to.equal('dead-letter');
    expect(poison.record.headers).to.deep.equal({ 'dead-letter-retried': Buffer.from('1:7') });
  });

  it('recognizes a dismissal, which release 1.1.0 reads as the mark of a retry', () => {
    const deadLetter = toStoredDeadLetter('events.dead-letters', 1, written()) as StoredDeadLetter;
    const { partition, ...message } = dismissalMark(deadLetter, 'why <é>', new Date('2026-01-03T00:00:00Z'));
    expect(partition).to.equal(1);
    expect(message.headers).to.include({ 'dead-letter-retried': '1:7' });
    expect(toStoredDeadLetter('t', 1, { ...message, offset: '8', timestamp: '0' })).to.deep.equal({
      kind: 'mark',
      ref: '1:7',
      origin: deadLetter.origin,
      dismissed: { reason: 'why <é>', at: '2026-01-03T00:00:00.000Z' },
      identity: identityOf(deadLetter),
    });
    const poison = written({ value: null, headers: { 'dead-letter-dismissed': Buffer.from('x') } });
    expect(toStoredDeadLetter('t', 0, poison).kind).to.equal('dead-letter');
  });

  it('reads a foreign message as a dead letter of unknown reason, at its own position', () => {
    const deadLetter = toStoredDeadLetter('t', 2, {
      key: null,
      value: Buffer.from('x'),
      headers: {},
      offset: '5',
      timestamp: '1000',
    }) as StoredDeadLetter;
    expect(deadLetter).to.include({
      ref: '2:5',
      reason: 'unknown',
      detail: '',
      time: '1970-01-01T00:00:01.000Z',
    });
    expect(deadLetter.origin).to.deep.equal({ topic: 't', partition: 2, offset: '5' });
  });
});
