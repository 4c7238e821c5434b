/** A process that builds the unfinished generation, alone or together with others. */
export interface Builder {
  /** Unique per process. */
  id: string;
  host: string;
  pid: number;
  /** ISO 8601. */
  started_at: string;
  /** Time of the last heartbeat, by the clock of the builder's host. */
  seen_at: string;
  /** Progress of the whole phase, as this builder knows it. */
  done?: number;
  total?: number;
  /** Another process has marked it as lost. It can never work again. */
  lost?: LostBuilder;
}

/** Time and process that marked a builder as lost. */
interface LostBuilder {
  /** ISO 8601. */
  at: string;
  host: string;
  pid: number;
}

/**
 * A builder sends a heartbeat every 2 seconds. After this time without a heartbeat, others may mark it as lost.
 */
export const BUILDER_DEAD_AFTER_MS = 15_000;

/** Whether the builder is not lost and its last heartbeat is recent, if the clocks of the hosts agree. */
export const isAlive = ({ seen_at, lost }: Builder, now: number): boolean =>
  !lost && now - Date.parse(seen_at) < BUILDER_DEAD_AFTER_MS;

const CLIENT_PREFIX = 'vitrine-builder-';

/** The name of a builder among the members of its generation's consumer group. */
export const builderClientId = (id: string): string => `${CLIENT_PREFIX}${id}`;

/** Whether a member of a consumer group is a builder. */
export const isBuilderClient = (clientId: string): boolean => clientId.startsWith(CLIENT_PREFIX);
