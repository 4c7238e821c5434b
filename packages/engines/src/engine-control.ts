export type EngineName = 'kafka' | 'elasticsearch';
export type EngineSource = 'environment' | 'docker' | 'java';

/** One engine that this process started: its switch. `stop` and `start` keep the port and the data. */
export interface EngineControl {
  /** Process id of the engine's JVM; undefined while it is stopped, and always with Docker. */
  readonly pid: number | undefined;
  /** Asks the engine to shut down and resolves when it is gone; the data stays. Resolves at once if it is not running. */
  stop(): Promise<void>;
  /** Ends the engine as a crash would (SIGKILL); resolves when it is gone; the data stays. */
  kill(): Promise<void>;
  /** Starts a stopped engine on its old port with its old data; resolves when it answers. Rejects with an EnginesError. */
  start(): Promise<void>;
  /** Suspends the engine: its connections stay open and nothing answers. */
  freeze(): void;
  /** Lets a frozen engine go on. */
  thaw(): void;
}

/** Both engines, ready for use. */
export interface Engines {
  /** What a service needs in its environment to use them. */
  readonly settings: { readonly KAFKA_BROKERS: string; readonly ELASTICSEARCH_URL: string };
  readonly source: { readonly kafka: EngineSource; readonly elasticsearch: EngineSource };
  /** Undefined when the environment named it: what others run is not ours to stop. */
  readonly kafka: EngineControl | undefined;
  readonly elasticsearch: EngineControl | undefined;
  /** PEM of the authority behind the certificates of what was started with security on. */
  readonly ca: string | undefined;
  /** Each node of Elasticsearch, vitrine-1 (which is `elasticsearch`) first; none when the environment named it. */
  readonly elasticsearchNodes: readonly EngineControl[];
  /** Where the engines' logs and data are until they are stopped; undefined when none runs as a JVM. */
  readonly folder: string | undefined;
  /** Ends what was started here and deletes its data; a second call waits for the first. Never rejects because of an engine that is gone. */
  stop(): Promise<void>;
}

/** Any failure of this package; the message is meant for the person at the terminal. */
export class EnginesError extends Error {
  override readonly name: string = 'EnginesError';
}

/** This machine has nothing that could run the engines; the message says what to install. */
export class NoEnginesError extends EnginesError {
  override readonly name = 'NoEnginesError';
}
