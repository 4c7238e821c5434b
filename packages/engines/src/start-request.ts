import type { EngineVersions } from './download/versions.ts';
import type { EngineControl, EngineName } from './engine-control.ts';
import type { EngineSecurity, EngineUser } from './security.ts';

export interface EnginesOptions {
  /** The environment to use instead of process.env. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Receives a one-line description of each step, without a line break. */
  readonly onProgress?: ((message: string) => void) | undefined;
  /** The number of cluster nodes. Default: 1. Docker supports only one node. */
  readonly elasticsearchNodes?: number | undefined;
  /**
   * The number of Kafka brokers. Default: 1. With three brokers, each record is on all of them, and one
   * broker may be down. Docker supports only one broker.
   */
  readonly kafkaBrokers?: 1 | 3 | undefined;
  /** The heap size of each node in JVM notation. Default: 1g. */
  readonly elasticsearchHeap?: string | undefined;
  /** Broker settings that override the defaults of this package. */
  readonly kafkaSettings?: Readonly<Record<string, string>> | undefined;
  /** Node settings that override the defaults of this package. */
  readonly elasticsearchSettings?: Readonly<Record<string, string>> | undefined;
  /** Enables security: TLS and mandatory passwords. Only JVM engines support it. */
  readonly users?: Readonly<Record<string, EngineUser>> | undefined;
  /** Aborts the start and all later restarts. An abort also stops engines that have already started. */
  readonly signal?: AbortSignal | undefined;
}

/** The options with their defaults, and the engines to start. */
export interface StartRequest {
  readonly wanted: readonly EngineName[];
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (message: string) => void;
  readonly nodes: number;
  readonly brokers: number;
  readonly heap: string;
  /**
   * Whether the engines run only for minutes, as in tests. The JVM's optimizing compiler would use the cores
   * that the tests need.
   */
  readonly isShortLived: boolean;
  readonly kafkaSettings: Readonly<Record<string, string>>;
  readonly elasticsearchSettings: Readonly<Record<string, string>>;
  readonly security: EngineSecurity | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A ready engine with its address, which is the broker's host:port or the node's URL. */
export interface StartedEngine {
  readonly address: string;
  readonly control: EngineControl;
}

export interface StartedEngines {
  readonly kafka: readonly StartedEngine[];
  /** The requested nodes. */
  readonly elasticsearch: readonly StartedEngine[];
  readonly folder: string | undefined;
  /**
   * @throws EnginesError if these engines cannot change their versions
   */
  useVersions(versions: Partial<EngineVersions>): Promise<void>;
  stop(): Promise<void>;
}

/** Runs a start and reports its duration. */
export async function announce<E extends StartedEngine>(
  title: string,
  onProgress: (message: string) => void,
  start: () => Promise<E>,
): Promise<E> {
  const began = performance.now();
  const engine = await start();
  onProgress(
    `${title} is ready at ${engine.address} after ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  return engine;
}
