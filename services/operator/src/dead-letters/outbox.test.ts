import { KafkaError, type KafkaProducer } from '@vitrine/kafka';
import { expect } from 'chai';
import type { CommandContext } from '../command-context.ts';
import { Outbox } from './outbox.ts';
import type { StoredDeadLetter } from './stored-dead-letter.ts';

const deadLetterOf = (topic: string, key: string, bytes = 10): StoredDeadLetter => ({
  kind: 'dead-letter',
  ref: `0:${key}`,
  key,
  reason: 'mapping-failed',
  detail: '',
  time: '2026-11-01T12:00:00Z',
  origin: { topic, partition: 0, offset: '0' },
  bytes,
  record: { key: Buffer.from(key), value: Buffer.from('{}'), headers: {} },
});

describe('the records that a retry sends', () => {
  const sent: [topic: string, keys: string][] = [];
  const refused: string[] = [];
  const outboxWith = (codes: Record<string, string>) => {
    sent.length = 0;
    refused.length = 0;
    const send: KafkaProducer['send'] = async ({ topic, messages }) => {
      const keys = messages.map(({ key }) => String(key)).join(' ');
      const code = codes[topic] ?? codes[keys];
      if (code !== undefined && topic !== 'dead')
        throw new KafkaError(code, { cause: 1, code, retriable: false });
      sent.push([topic, keys]);
      return [0];
    };
    const context = {
      producer: { send } as KafkaProducer,
      settings: { LISTING_EVENTS_TOPIC: 'events', DEAD_LETTER_TOPIC: 'dead' } as CommandContext['settings'],
      signal: new AbortController().signal,
    };
    return new Outbox(context, true, ({ key }) => refused.push(String(key)));
  };

  it('of other topics are sent and marked, although one topic does not exist', async () => {
    const outbox = outboxWith({ gone: 'UNKNOWN_TOPIC_OR_PARTITION' });
    for (const [topic, key] of [
      ['gone', '1'],
      ['there', '2'],
      ['gone', '3'],
      ['there', '4'],
    ] as const)
      await outbox.add(deadLetterOf(topic, key, 300 * 1024));
    const error = await outbox.end().catch(String);
    expect(error).to.equal('Error: could not send records to gone: UNKNOWN_TOPIC_OR_PARTITION');
    expect(sent).to.deep.equal([
      ['there', '2'],
      ['dead', '2'],
      ['there', '4'],
      ['dead', '4'],
    ]);
  });

  it('are marked, except one that is too large for its topic', async () => {
    const outbox = outboxWith({ 'a large': 'MESSAGE_TOO_LARGE', large: 'MESSAGE_TOO_LARGE' });
    for (const key of ['a', 'large']) await outbox.add(deadLetterOf('there', key));
    await outbox.end();
    expect(refused).to.deep.equal(['large']);
    expect(sent).to.deep.equal([
      ['there', 'a'],
      ['dead', 'a'],
    ]);
  });
});
