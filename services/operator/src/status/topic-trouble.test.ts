import { expect } from 'chai';
import { topicTrouble } from './topic-trouble.ts';

describe('the topic of a generation', () => {
  const of = (topic_id?: string) => (topic_id === undefined ? {} : { topic_id });

  it('is no trouble if its id is that of the record, or if release 1.1.0 recorded none', () => {
    expect(topicTrouble('events', 'a', of('a'))).to.equal(undefined);
    expect(topicTrouble('events', 'a', of())).to.equal(undefined);
  });
  it('names both ids and the settings if it was created again, renamed or moved to another cluster', () =>
    expect(topicTrouble('events', 'b', of('a'))).to.match(
      /^the topic events was deleted and created again: its id was a, and now it is b\. Alternatively, LISTING_EVENTS_TOPIC or KAFKA_BROKERS .*runbook$/,
    ));
  it('is missing if it was deleted', () =>
    expect(topicTrouble('events', undefined, of('a'))).to.equal('the topic events does not exist'));
});
