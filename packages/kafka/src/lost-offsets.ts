/**
 * The consumer's next offset is no longer in the log, so the consumer missed deleted records. The consumer
 * never resets the offset silently.
 */
export class LostOffsetsError extends Error {
  override readonly name: string = 'LostOffsetsError';
}

/** @param was, is the ids of the old and of the new topic */
const describeRecreation = (topic: string, was: string, is: string): string =>
  `the topic ${topic} was deleted and created again: its id was ${was}, and now it is ${is}`;

/**
 * Describes another id if nobody has watched the topic, because a renamed topic or a copy in another cluster
 * also has another id.
 * @param was, is the ids of the topic that was read before, and of the topic that the settings name
 */
export const describeOtherTopic = (topic: string, was: string, is: string): string =>
  `${describeRecreation(topic, was, is)}. Alternatively, LISTING_EVENTS_TOPIC or KAFKA_BROKERS now names another topic`;

/** The topic was deleted and created again, so the offsets of the old topic are not valid in the new one. */
export class RecreatedTopicError extends LostOffsetsError {
  override readonly name = 'RecreatedTopicError';

  /** @param was, is the ids of the old and of the new topic */
  constructor(topic: string, was: string, is: string) {
    super(
      `${describeRecreation(topic, was, is)}. Offsets of the old topic are not valid in the new one. If a ` +
        'replay was running, run replay cancel. A projector that starts reads the new topic from its ' +
        'beginning and keeps the listings of the old topic. To remove these, run replay and switch',
    );
  }
}

/** The topic was deleted while a consumer read it. */
export class DeletedTopicError extends LostOffsetsError {
  override readonly name = 'DeletedTopicError';

  constructor(topic: string) {
    super(
      `the topic ${topic} was deleted while the projector was reading it, or the permission Describe was ` +
        'removed. Create the topic again with topics create, then start the projector. It reads the new ' +
        'topic from its beginning',
    );
  }
}

/** The topic does not exist. */
export class MissingTopicError extends Error {
  override readonly name = 'MissingTopicError';

  constructor(topic: string) {
    super(`the topic ${topic} does not exist`);
  }
}
