export type EngineName = 'kafka' | 'elasticsearch';
export type EngineSource = 'environment' | 'docker' | 'java';

/** Controls one engine that this process started. `stop` and `start` keep the port and the data. */
export interface EngineControl {
  /**
   * The process id of the engine's JVM. It is undefined while the engine is stopped, and always undefined
   * with Docker.
   */
  readonly pid: number | undefined;
  /**
   * Shuts the engine down, keeps its data, and resolves when its process is gone. Resolves immediately if the
   * engine is not running.
   */
  stop(): Promise<void>;
  /** Kills the engine (SIGKILL), keeps its data, and resolves when its process is gone. */
  kill(): Promise<void>;
  /**
   * Starts a stopped engine with its old port and data, and resolves when it is ready. @throws EnginesError
   */
  start(): Promise<void>;
  /** Suspends the engine, and resolves when it no longer responds. Its connections stay open. */
  freeze(): Promise<void>;
  /** Resumes a suspended engine. */
  thaw(): Promise<void>;
}

/** Both engines, ready for use. */
export interface Engines {
  /** The environment variables with which a service connects to the engines. */
  readonly settings: { readonly KAFKA_BROKERS: string; readonly ELASTICSEARCH_URL: string };
  readonly source: { readonly kafka: EngineSource; readonly elasticsearch: EngineSource };
  /**
   * It is undefined if the environment named the engine, because this package does not control such an
   * engine.
   */
  readonly kafka: EngineControl | undefined;
  readonly elasticsearch: EngineControl | undefined;
  /**
   * The certificate of the authority that signed the engines' certificates, in PEM format, if security is on.
   */
  readonly ca: string | undefined;
  /**
   * All Elasticsearch nodes. The first node is vitrine-1, which is also `elasticsearch`. The list is empty if
   * the environment named the engine.
   */
  readonly elasticsearchNodes: readonly EngineControl[];
  /**
   * All Kafka brokers. The first one is also `kafka`. The list is empty if the environment named the engine.
   */
  readonly kafkaBrokers: readonly EngineControl[];
  /**
   * Downloads these versions, if necessary, and uses them for every later `start`. Running engines keep their
   * versions until they are stopped and started. @throws EnginesError if Docker runs the engines
   */
  useVersions(versions: Partial<Readonly<Record<EngineName, string>>>): Promise<void>;
  /**
   * The folder with the engines' logs and data while they run. It is undefined if no engine runs as a JVM.
   */
  readonly folder: string | undefined;
  /**
   * Stops the engines that this process started and deletes their data. A second call waits for the first
   * one. If an engine is already gone, the call still succeeds.
   */
  stop(): Promise<void>;
}

/** Any failure in this package. The message is written for the user at the terminal. */
export class EnginesError extends Error {
  override readonly name: string = 'EnginesError';
}

/** The error for a machine that cannot run the engines. The message names the missing software. */
export class NoEnginesError extends EnginesError {
  override readonly name = 'NoEnginesError';
}
