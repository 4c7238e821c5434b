import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, errors } from '@elastic/elasticsearch';
import {
  activeBuilders,
  differencesOf,
  generationNames,
  type ReconciliationRecord,
  type Registry,
  type SelfCheckRecord,
  unfinishedGeneration,
} from '@vitrine/feed-index';
import type { ProjectorMetrics } from '@vitrine/projection';
import {
  countListings,
  type Roles,
  readChangesSizes,
  readFollowableChanges,
  readRegistry,
  roleOf,
} from '@vitrine/projection/generations';
import type { Log } from '@vitrine/runtime/log';

/** Updates the metrics for the roles of the generations and for the progress of a replay. */
export function showGenerations(
  metrics: ProjectorMetrics,
  registry: Registry,
  roles: Roles,
  now: number,
): void {
  const { generations, replayDone, replayTotal } = metrics;
  showSelfCheck(metrics, registry.self_check);
  showReconciliation(metrics, registry.reconciliation, now);
  generations.reset();
  for (const record of registry.generations)
    generations.set(
      { generation: String(record.number), role: roleOf(record, roles, registry, now), phase: record.phase },
      1,
    );
  replayDone.reset();
  replayTotal.reset();
  const building = unfinishedGeneration(registry);
  // Each builder knows the progress of all builders. The latest heartbeat counts.
  const [latest] = activeBuilders(registry).sort((a, b) => Date.parse(b.seen_at) - Date.parse(a.seen_at));
  if (!building || !latest) return;
  const labels = { generation: String(building.number), phase: building.phase };
  replayDone.set(labels, latest.done ?? 0);
  replayTotal.set(labels, latest.total ?? 0);
}

/** Updates the metrics of `verify --self`, which stores its result in the registry. */
function showSelfCheck(
  { verifyTime, verifySuccess, verifyDifferences }: ProjectorMetrics,
  record: SelfCheckRecord | undefined,
): void {
  verifyTime.reset();
  verifyDifferences.reset();
  if (!record) return;
  verifySuccess.set(Date.parse(record.succeeded_at ?? record.since) / 1_000);
  if (!record.last) return;
  const { at, outcome, repaired, unrepaired } = record.last;
  verifyTime.set({ outcome }, Date.parse(at) / 1_000);
  verifyDifferences.set({ result: 'repaired' }, repaired);
  verifyDifferences.set({ result: 'unrepaired' }, unrepaired);
}

/** Updates the metrics of `reconcile`, which stores its result in the registry. */
function showReconciliation(
  { reconcileAge, reconcileDifferences }: ProjectorMetrics,
  record: ReconciliationRecord | undefined,
  now: number,
): void {
  reconcileDifferences.reset();
  reconcileAge.remove();
  if (!record) return;
  // The clock of the host that ran the command may be ahead.
  reconcileAge.set(Math.max(0, (now - Date.parse(record.at)) / 1_000));
  for (const [kind, listings] of Object.entries(differencesOf(record)))
    reconcileDifferences.set({ kind }, listings);
}

export interface Counting {
  client: Client;
  prefix: string;
  metrics: ProjectorMetrics;
  log: Log;
  everyMs: number;
  signal: AbortSignal;
}

/**
 * Periodically counts the items, hidden listings and changes of every generation until the signal aborts. If
 * a count fails, the function removes the metric, because an old number would look current.
 */
export async function keepCounting({
  client,
  prefix,
  metrics,
  log,
  everyMs,
  signal,
}: Counting): Promise<void> {
  while (!signal.aborted) {
    await showContents(client, prefix, metrics, signal).catch((error: unknown) => {
      metrics.items.reset();
      metrics.hiddenListings.reset();
      if (!signal.aborted) log.debug({ err: error }, 'could not count the listings');
    });
    await showChanges(client, prefix, metrics, signal).catch((error: unknown) => {
      for (const gauge of [metrics.changesEntries, metrics.changesBytes, metrics.changesSince]) gauge.reset();
      if (!signal.aborted) log.debug({ err: error }, 'could not read the sizes of the changes indices');
    });
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

async function showContents(
  client: Client,
  prefix: string,
  { items, hiddenListings }: ProjectorMetrics,
  signal: AbortSignal,
): Promise<void> {
  const registry = await readRegistry(client, prefix, signal);
  const counted = (registry?.generations ?? []).filter(
    ({ phase }) => phase !== 'creating' && phase !== 'pruning',
  );
  const found = await Promise.all(
    counted.map(({ number }) =>
      countListings(client, generationNames(prefix, number), signal).catch((error: unknown) => {
        // A missing index must not hide the counts of the other generations.
        if (error instanceof errors.ResponseError && error.statusCode === 404) return undefined;
        throw error;
      }),
    ),
  );
  items.reset();
  hiddenListings.reset();
  for (const [i, counts] of found.entries()) {
    const generation = String(counted[i]?.number);
    if (!counts) continue;
    items.set({ generation }, counts.items);
    for (const [reason, listings] of Object.entries(counts.hidden))
      hiddenListings.set({ generation, reason }, listings);
  }
}

async function showChanges(
  client: Client,
  prefix: string,
  { changesEntries, changesBytes, changesSince }: ProjectorMetrics,
  signal: AbortSignal,
): Promise<void> {
  const [sizes, followable] = await Promise.all([
    readChangesSizes(client, prefix, signal),
    readFollowableChanges(client, prefix, signal),
  ]);
  changesEntries.reset();
  changesBytes.reset();
  changesSince.reset();
  for (const { generation, entries, bytes } of sizes) {
    changesEntries.set({ generation: String(generation) }, entries);
    changesBytes.set({ generation: String(generation) }, bytes);
  }
  if (followable)
    changesSince.set({ generation: String(followable.live.generation) }, followable.since / 1_000);
}
