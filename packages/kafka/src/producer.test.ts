import { expect } from 'chai';
import { KafkaError } from './errors.ts';
import { sendInHalves } from './producer.ts';

describe('sendInHalves', () => {
  /** A topic that accepts at most this many characters in a request. */
  const topicOf = (limit: number, code = 'MESSAGE_TOO_LARGE') => {
    const requests: string[] = [];
    const send = async (some: readonly string[]) => {
      requests.push(some.join(''));
      if (some.join('').length > limit) throw new KafkaError('refused', { cause: 1, code, retriable: false });
    };
    return { requests, send };
  };

  it('sends each half of a refused request, because a batch of small messages can exceed a low limit', async () => {
    const { requests, send } = topicOf(2);
    await sendInHalves(['a', 'b', 'c', 'd', 'e'], send);
    expect(requests).to.deep.equal(['abcde', 'abc', 'ab', 'c', 'de']);
  });

  it('sends nothing without messages', async () => {
    const { requests, send } = topicOf(1);
    await sendInHalves([], send);
    expect(requests).to.deep.equal([]);
  });

  it('reports the message that the topic refuses even alone, and sends the others', async () => {
    const { requests, send } = topicOf(1);
    const refused: string[] = [];
    await sendInHalves(['a', 'large', 'b'], send, (one) => refused.push(one));
    expect(refused).to.deep.equal(['large']);
    expect(requests).to.include.members(['a', 'b']);
  });

  it('passes on the error of a single message, and every other error', async () => {
    for (const topic of [topicOf(0), topicOf(0, 'NOT_ENOUGH_REPLICAS')]) {
      const error = await sendInHalves(['a'], topic.send).catch((raised: unknown) => raised);
      expect(error).to.have.property('message', 'refused');
    }
    const { requests, send } = topicOf(1, 'NOT_ENOUGH_REPLICAS');
    await sendInHalves(['a', 'b'], send).catch(() => undefined);
    expect(requests).to.deep.equal(['ab']);
  });
});
