import { KafkaError, type KafkaProducer } from '@vitrine/kafka';
import { expect } from 'chai';
import { sendDeadLetters, toMessage } from './dead-letter.ts';

describe('sendDeadLetters', () => {
  it('halves a request that the topic refuses, because a low limit would stop the projector forever', async () => {
    const sizes: number[] = [];
    const producer = {
      send: async ({ messages }: { messages: readonly unknown[] }) => {
        if (messages.length > 2)
          throw new KafkaError('refused', { cause: 1, code: 'MESSAGE_TOO_LARGE', retriable: false });
        sizes.push(messages.length);
      },
    } as unknown as KafkaProducer;
    const letter = (offset: number) => ({
      record: { topic: 't', partition: 0, offset: String(offset), key: null, value: Buffer.of(1) },
      reason: 'schema',
      detail: '',
    });
    await sendDeadLetters(producer, 'letters', [0, 1, 2, 3, 4].map(letter));
    expect(sizes).to.deep.equal([2, 1, 2]);
  });
});

describe('toMessage', () => {
  const value = Buffer.from([0xff, 0x00, 0x7b]);
  const record = {
    topic: 't',
    partition: 3,
    offset: '42',
    key: Buffer.from('k'),
    value,
    headers: { 'x-trace': Buffer.from('1') },
  };

  it('keeps the exact bytes of the record, its reason and its origin', () => {
    const message = toMessage(
      { record, reason: 'not-json', detail: 'Unexpected token' },
      new Date('2026-01-02T03:04:05Z'),
    );
    expect(message.key).to.equal(record.key);
    expect(message.value).to.equal(value);
    expect(message.headers).to.deep.equal({
      'x-trace': Buffer.from('1'),
      'dead-letter-reason': 'not-json',
      'dead-letter-detail': 'Unexpected token',
      'dead-letter-topic': 't',
      'dead-letter-partition': '3',
      'dead-letter-offset': '42',
      'dead-letter-time': '2026-01-02T03:04:05.000Z',
    });
  });
  it('keeps headers that kafkajs cannot write, and names of object properties', () => {
    const headers = JSON.parse('{"__proto__": 1}') as Record<string, unknown>;
    Object.assign(headers, {
      none: null,
      some: [Buffer.from('a'), null],
      constructor: Buffer.from('b'),
    });
    Object.defineProperty(headers, '__proto__', {
      value: Buffer.from('c'),
      enumerable: true,
    });
    const message = toMessage(
      {
        record: { ...record, headers: headers as NonNullable<typeof record.headers> },
        reason: 'r',
        detail: 'd',
      },
      new Date(),
    );
    expect(
      Object.entries(message.headers ?? {}).filter(([name]) => !name.startsWith('dead-letter')),
    ).to.have.deep.members([
      ['__proto__', Buffer.from('c')],
      ['none', Buffer.alloc(0)],
      ['some', [Buffer.from('a'), Buffer.alloc(0)]],
      ['constructor', Buffer.from('b')],
    ]);
    expect(message.headers?.['dead-letter-null-headers']).to.equal('none, some');
  });
  it('keeps a null value', () =>
    expect(
      toMessage({ record: { ...record, value: null, key: null }, reason: 'r', detail: 'd' }, new Date()),
    ).to.include({
      value: null,
      key: null,
    }));
});
