import { KafkaError, type KafkaProducer } from '@vitrine/kafka';
import { expect } from 'chai';
import { publishRepair } from './repair-listing.ts';

describe('the events of a repair', () => {
  it('are sent in their order if the topic does not accept them together', async () => {
    const accepted: unknown[] = [];
    const send: KafkaProducer['send'] = async ({ messages }) => {
      if (messages.length > 1)
        throw new KafkaError('too large', { cause: 1, code: 'MESSAGE_TOO_LARGE', retriable: false });
      accepted.push(...messages.map(({ key, value }) => [key, value]));
      return [0];
    };
    await publishRepair({ send }, 'topic', { id: 'a', events: ['snapshot', 'dates', 'more dates'] });
    expect(accepted).to.deep.equal([
      ['a', 'snapshot'],
      ['a', 'dates'],
      ['a', 'more dates'],
    ]);
  });
});
