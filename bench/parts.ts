import type { BenchContext } from './bench-context.ts';
import { agents } from './parts/agents.ts';
import { builders } from './parts/builders.ts';
import { cached } from './parts/cached.ts';
import { changes } from './parts/changes.ts';
import { check } from './parts/check.ts';
import { compare } from './parts/compare.ts';
import { costs } from './parts/costs.ts';
import { cpu } from './parts/cpu.ts';
import { disconnects } from './parts/disconnects.ts';
import { exports } from './parts/exports.ts';
import { growth } from './parts/growth.ts';
import { ingest } from './parts/ingest.ts';
import { isolation } from './parts/isolation.ts';
import { memory } from './parts/memory.ts';
import { orders } from './parts/orders.ts';
import { paging } from './parts/paging.ts';
import { polling } from './parts/polling.ts';
import { projector } from './parts/projector.ts';
import { queries } from './parts/queries.ts';
import { rebuildGrowth } from './parts/rebuild-growth.ts';
import { reconcile } from './parts/reconcile.ts';
import { replay } from './parts/replay.ts';
import { throughput } from './parts/throughput.ts';
import { views } from './parts/views.ts';
import { visible } from './parts/visible.ts';

/** Runs the measurements, and reports the results to the context. */
export interface Part {
  run: (context: BenchContext) => Promise<void>;
  /** Time limit of the part in seconds, about three times its duration on two idle cores. */
  limitSeconds: (items: number) => number;
  /** Whether the part takes so long that it runs only when the command names it. */
  onlyNamed?: true;
}

/** The parts in the order in which they run. Parts that fill the disk of Elasticsearch come last. */
export const PARTS: Readonly<Record<string, Part>> = {
  cached: { run: cached, limitSeconds: (items) => 420 + items / 200 },
  polling: { run: polling, limitSeconds: (items) => 240 + items / 200 },
  queries: { run: queries, limitSeconds: (items) => 1_200 + items / 100 },
  throughput: { run: throughput, limitSeconds: (items) => 300 + items / 200 },
  disconnects: { run: disconnects, limitSeconds: (items) => 300 + items / 200 },
  cpu: { run: cpu, limitSeconds: () => 300 },
  orders: { run: orders, limitSeconds: (items) => 300 + items / 200 },
  paging: { run: paging, limitSeconds: (items) => 300 + items / 200 },
  memory: { run: memory, limitSeconds: (items) => 600 + items / 200 },
  changes: { run: changes, limitSeconds: (items) => 600 + items / 100 },
  exports: { run: exports, limitSeconds: (items) => 420 + items / 200 },
  agents: { run: agents, limitSeconds: (items) => 600 + items / 100 },
  views: { run: views, limitSeconds: (items) => 1_200 + items / 200 },
  check: { run: check, limitSeconds: (items) => 300 + items / 200 },
  isolation: { run: isolation, limitSeconds: () => 600 },
  visible: { run: visible, limitSeconds: () => 300 },
  projector: { run: projector, limitSeconds: (items) => 420 + items / 200 },
  ingest: { run: ingest, limitSeconds: (items) => 900 + items / 100 },
  reconcile: { run: reconcile, limitSeconds: (items) => 600 + items / 100 },
  replay: { run: replay, limitSeconds: (items) => 1_200 + items / 50 },
  builders: { run: builders, limitSeconds: (items) => 600 + items / 300 },
  growth: { run: growth, limitSeconds: (items) => 2_400 + items / 50, onlyNamed: true },
  'rebuild-growth': { run: rebuildGrowth, limitSeconds: (items) => 1_200 + items / 400, onlyNamed: true },
  compare: { run: compare, limitSeconds: (items) => 1_200 + items / 100, onlyNamed: true },
  costs: { run: costs, limitSeconds: (items) => 900 + items / 100, onlyNamed: true },
};
