import kafkajs from 'kafkajs';

/** A request that Kafka refused or did not answer. The message is Kafka's own. */
export class KafkaError extends Error {
  override readonly name = 'KafkaError';
  /** Kafka's name of the error, such as `NON_EMPTY_GROUP`. Undefined if no broker answered. */
  readonly code: string | undefined;
  /** Whether the same request can succeed later. */
  readonly retriable: boolean;

  constructor(message: string, options: { cause: unknown; code?: string | undefined; retriable: boolean }) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.retriable = options.retriable;
  }
}

/** Converts an error of kafkajs to ours. Returns every other error unchanged. */
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
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, groups } = error as { type?: string; groups?: { error?: unknown }[] };
  return type ?? codeOf(groups?.[0]?.error) ?? codeOf(error.cause);
}

/** Calls kafkajs, and throws our errors instead of its own. */
export async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toKafkaError(error);
  }
}
