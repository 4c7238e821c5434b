import { expect } from 'chai';
import { type StoredDeadLetter, toStoredDeadLetter } from '../dead-letters/stored-dead-letter.ts';
import { CurrentDeadLetters } from './current-dead-letters.ts';

const letter = (offset: number, record: number, reason = 'schema') =>
  toStoredDeadLetter('dead', 0, {
    key: Buffer.from('a'),
    value: Buffer.from('{}'),
    offset: String(offset),
    timestamp: 0,
    headers: { 'dead-letter-reason': reason, 'dead-letter-topic': 't', 'dead-letter-offset': String(record) },
  }) as StoredDeadLetter;
const mark = (offset: number, of: number) =>
  toStoredDeadLetter('dead', 0, {
    key: Buffer.from('a'),
    value: null,
    offset: String(offset),
    timestamp: 0,
    headers: { 'dead-letter-retried': `0:${of}` },
  });

describe('the current dead letters', () => {
  it('are the newest of each record that no retry has sent again', () => {
    const current = new CurrentDeadLetters();
    const letters = [letter(0, 10), letter(1, 11), letter(2, 10, 'not-json'), letter(3, 12)];
    for (const entry of letters) current.add(entry);
    current.add(mark(4, 3));
    expect(letters.map((one) => current.has(one))).to.deep.equal([false, true, true, false]);
  });
});
