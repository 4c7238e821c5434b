import type { EngineControl, EngineName } from './engine-control.ts';
import type { EngineSecurity, EngineUser } from './security.ts';

/** Options of `startEngines`. */
export interface EnginesOptions {
  /** Read instead of process.env. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Told each step, in a line without its end. */
  readonly onProgress?: ((message: string) => void) | undefined;
  /** How many nodes make up the cluster; default 1. More only as JVMs. */
  readonly elasticsearchNodes?: number | undefined;
  /** Of each node, as the JVM takes it; default 1g. */
  readonly elasticsearchHeap?: string | undefined;
  /** Broker settings; they win over our own. */
  readonly kafkaSettings?: Readonly<Record<string, string>> | undefined;
  /** Node settings; they win over our own. */
  readonly elasticsearchSettings?: Readonly<Record<string, string>> | undefined;
  /** Switches security on: TLS, and nothing without name and password. Only engines that run as JVMs have it. */
  readonly users?: Readonly<Record<string, EngineUser>> | undefined;
  /** Gives up the start, and later restarts; what was started before is stopped. */
  readonly signal?: AbortSignal | undefined;
}

/** The options with their defaults, and which engines are to be started. */
export interface StartRequest {
  readonly wanted: readonly EngineName[];
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (message: string) => void;
  readonly nodes: number;
  readonly heap: string;
  readonly kafkaSettings: Readonly<Record<string, string>>;
  readonly elasticsearchSettings: Readonly<Record<string, string>>;
  readonly security: EngineSecurity | undefined;
  readonly signal: AbortSignal | undefined;
}

/** An engine that answers at its address: host:port of the broker, or the URL of the node. */
export interface StartedEngine {
  readonly address: string;
  readonly control: EngineControl;
}

export interface StartedEngines {
  readonly kafka: StartedEngine | undefined;
  /** Its nodes; none that were not wanted. */
  readonly elasticsearch: readonly StartedEngine[];
  readonly folder: string | undefined;
  stop(): Promise<void>;
}

/** Runs a start and tells how long it took. */
export async function announce(title: string, onProgress: (message: string) => void, start: () => Promise<StartedEngine>): Promise<StartedEngine> {
  const began = performance.now();
  const engine = await start();
  onProgress(`${title} answers at ${engine.address} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return engine;
}
