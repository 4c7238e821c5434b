import kafkajs from 'kafkajs';

/**
 * The error for a request that Kafka refused, or to which Kafka did not respond. The message is Kafka's own.
 */
export class KafkaError extends Error {
  override readonly name = 'KafkaError';
  /** Kafka's name for the error, such as `NON_EMPTY_GROUP`. It is undefined if no broker responded. */
  readonly code: string | undefined;
  /** Whether the same request can succeed later. */
  readonly retriable: boolean;

  constructor(message: string, options: { cause: unknown; code?: string | undefined; retriable: boolean }) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.retriable = options.retriable;
  }
}

/** Converts an error from kafkajs to a `KafkaError`. Returns every other error unchanged. */
export function toKafkaError(error: unknown): unknown {
  if (error instanceof kafkajs.KafkaJSAggregateError)
    return new KafkaError(error.errors.map((one) => (one instanceof Error ? one.message : one)).join(', '), {
      cause: error,
      code: codeOf(error.errors[0]),
      retriable: error.errors.every((one) => one instanceof kafkajs.KafkaJSError && one.retriable),
    });
  if (!(error instanceof kafkajs.KafkaJSError)) return error;
  const { message, retriable } = error;
  return new KafkaError(message, { cause: error, code: codeOf(error), retriable });
}

/** kafkajs keeps the code of a failed request in the error itself, in its cause, or in a list of groups. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, groups } = error as { type?: string; groups?: { error?: unknown }[] };
  return type ?? codeOf(groups?.[0]?.error) ?? codeOf(error.cause);
}

type AsyncMethods<T> = { [K in keyof T]: (...given: never[]) => Promise<unknown> };

/** Returns the same methods, which now throw `KafkaError` instead of the errors from kafkajs. */
export const translated = <T extends AsyncMethods<T>>(methods: T): T =>
  Object.fromEntries(
    Object.entries<AsyncMethods<T>[keyof T]>(methods).map(([name, call]) => [
      name,
      async (...given: never[]) => {
        try {
          return await call(...given);
        } catch (error) {
          throw toKafkaError(error);
        }
      },
    ]),
  ) as T;

/**
 * The error for a consumer that has missed deleted records, because its next offset is no longer in the log.
 * The consumer never resets the offset silently.
 */
export class LostOffsetsError extends Error {
  override readonly name: string = 'LostOffsetsError';
  /**
   * A description of what happened. The message can also contain advice for a projector. Other consumers
   * give their own advice.
   */
  readonly facts: string;

  constructor(facts: string, advice?: string) {
    super(advice === undefined ? facts : `${facts}. ${advice}`);
    this.facts = facts;
  }
}

/** @param was, is the ids of the old and the new topic */
const describeRecreation = (topic: string, was: string, is: string): string =>
  `the topic ${topic} was deleted and created again: its id was ${was}, and now it is ${is}`;

/**
 * Describes a different topic id if no process has watched the topic. The cause may also be a rename or a
 * copy to another cluster, because such a topic has a different id too.
 * @param was, is the ids of the topic that was read before, and of the topic that the settings name
 */
export const describeOtherTopic = (topic: string, was: string, is: string): string =>
  `${describeRecreation(topic, was, is)}. Alternatively, LISTING_EVENTS_TOPIC or KAFKA_BROKERS now names another topic`;

/**
 * The error for a topic that was deleted and created again. The old topic's offsets are not valid in the new
 * one.
 */
export class RecreatedTopicError extends LostOffsetsError {
  override readonly name = 'RecreatedTopicError';

  /** @param was, is the ids of the old and the new topic */
  constructor(topic: string, was: string, is: string) {
    super(
      `${describeRecreation(topic, was, is)}. Offsets of the old topic are not valid in the new one`,
      'If a replay was running, run replay cancel. A projector that starts reads the new topic from its ' +
        'beginning and keeps the listings of the old topic. To remove these, run replay and switch',
    );
  }
}

export class DeletedTopicError extends LostOffsetsError {
  override readonly name = 'DeletedTopicError';

  constructor(topic: string) {
    super(
      `the topic ${topic} was deleted while it was being read, or the permission Describe was removed`,
      'Create the topic again with topics create, then start the projector. It reads the new topic from its ' +
        'beginning',
    );
  }
}

export class MissingTopicError extends Error {
  override readonly name = 'MissingTopicError';

  constructor(topic: string) {
    super(`the topic ${topic} does not exist`);
  }
}
