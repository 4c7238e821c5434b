import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineControl } from '@vitrine/engines';
import { Random } from '@vitrine/fixtures';
import type { Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/service-process.ts';
import type { Ledger } from '../checks/ledger.ts';
import type { PlannedFault } from '../plan/fault-kinds.ts';
import type { Fault } from '../plan/schedule.ts';
import type { ServiceSlot } from './service-slot.ts';
import type { SoakSystem } from './soak-system.ts';

/** The replacement for a process must be ready within this time, even on a busy machine. */
const READY_WITHIN_MS = 120_000;
/** Number of attempts to start an engine. */
const STARTS = 3;
const SLOW_MS = [200, 700] as const;
const LOST_SHARE = 0.15;

interface Scene {
  readonly system: SoakSystem;
  readonly fault: Fault;
  readonly random: Random;
  /** Waits for the duration of the fault, or until the run ends. */
  lasts(): Promise<void>;
}

const slotOf = (slots: readonly ServiceSlot[], { target }: Fault): ServiceSlot => {
  const slot = slots[target - 1];
  if (!slot) throw new Error(`there is no service ${target}`);
  return slot;
};
const ends =
  (which: 'projectors' | 'ingests' | 'queries', signal: 'SIGKILL' | 'SIGTERM') =>
  async ({ system, fault }: Scene) => {
    const slot = slotOf(system[which], fault);
    await slot.end(signal, fault.duration * 1_000);
    await slot.becomesReady(READY_WITHIN_MS);
  };
const suspends =
  (which: 'projectors' | 'queries') =>
  async ({ system, fault, lasts }: Scene) => {
    const slot = slotOf(system[which], fault);
    slot.signal('SIGSTOP');
    try {
      await lasts();
    } finally {
      slot.signal('SIGCONT');
    }
  };
const restarts =
  (engine: 'kafka' | 'elasticsearch', how: 'stop' | 'kill') =>
  async ({ system, lasts }: Scene) => {
    await system[engine][how]();
    try {
      await lasts();
    } finally {
      await startAgain(system[engine]);
    }
  };

/** Starts an engine. On a busy machine, a start may exceed the time limit of the engines. */
async function startAgain(engine: EngineControl): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await engine.start();
    } catch (error) {
      if (attempt === STARTS) throw error;
    }
  }
}
const freezes =
  (engine: 'kafka' | 'elasticsearch') =>
  async ({ system, lasts }: Scene) => {
    await system[engine].freeze();
    try {
      await lasts();
    } finally {
      await system[engine].thaw();
    }
  };

const ACTIONS: Record<PlannedFault, (scene: Scene) => Promise<void>> = {
  'kill-projector': ends('projectors', 'SIGKILL'),
  'terminate-projector': ends('projectors', 'SIGTERM'),
  'suspend-projector': suspends('projectors'),
  'suspend-projector-beyond-its-session': suspends('projectors'),
  'kill-ingest': ends('ingests', 'SIGKILL'),
  'kill-query': ends('queries', 'SIGKILL'),
  'terminate-query': ends('queries', 'SIGTERM'),
  'suspend-query': suspends('queries'),
  'restart-kafka': restarts('kafka', 'stop'),
  'kill-kafka': restarts('kafka', 'kill'),
  'freeze-kafka': freezes('kafka'),
  'restart-elasticsearch': restarts('elasticsearch', 'stop'),
  'kill-elasticsearch': restarts('elasticsearch', 'kill'),
  'freeze-elasticsearch': freezes('elasticsearch'),
  'third-projector': async ({ system, lasts }) => {
    const third = system.startThirdProjector();
    try {
      await lasts();
    } finally {
      await third.stop();
    }
  },
  'slow-elasticsearch': async ({ system: { reads, writes }, random, lasts }) => {
    const slowly = async (_: unknown, moment: string) => {
      if (moment === 'before') await sleep(random.integer(...SLOW_MS));
      return 'pass' as const;
    };
    [reads.hook, writes.hook] = [slowly, slowly];
    try {
      await lasts();
    } finally {
      [reads.hook, writes.hook] = [() => 'pass', () => 'pass'];
    }
  },
  'lost-responses': async ({ system: { writes }, random, lasts }) => {
    writes.hook = (step, moment) =>
      moment === 'after' && step !== 'other' && random.chance(LOST_SHARE) ? 'cut' : 'pass';
    try {
      await lasts();
    } finally {
      writes.hook = () => 'pass';
    }
  },
  'full-disk': ({ system, lasts }) => blockWrites(system.deployment, lasts),
  'kill-follower': async ({ system, fault, lasts }) => {
    const follower = system.followers[fault.target - 1];
    await follower?.kill();
    await lasts();
    follower?.start();
  },
};

/** Runs a fault, and records its window. The window ends when everything that it stopped is ready. */
export async function runFault(
  system: SoakSystem,
  ledger: Ledger,
  fault: Fault,
  seed: number,
  signal: AbortSignal,
): Promise<void> {
  const window = ledger.open(fault.kind, fault.target);
  const lasts = () => sleep(fault.duration * 1_000, undefined, { signal }).catch(() => undefined);
  try {
    await ACTIONS[fault.kind]({ system, fault, random: new Random(seed), lasts });
  } finally {
    ledger.close(window);
  }
}

const WATERMARK = 'cluster.routing.allocation.disk.watermark';
const INTERVAL = 'cluster.info.update.interval';
const BLOCK = 'index.blocks.read_only_allow_delete';
const WITHIN_MS = 90_000;

/** Makes Elasticsearch consider its disk full, so that it refuses all writes, while `work` runs. */
async function blockWrites({ client, prefix }: Deployment, work: () => Promise<void>): Promise<void> {
  const isBlocked = async () => {
    const found = await client.indices.getSettings({ index: `${prefix}-*`, flat_settings: true });
    return Object.values(found).some(
      ({ settings }) => (settings as Record<string, string>)[BLOCK] === 'true',
    );
  };
  try {
    // No disk has a petabyte of free space, so Elasticsearch considers every watermark exceeded.
    await client.cluster.putSettings({
      persistent: { [WATERMARK]: { low: '3pb', high: '2pb', flood_stage: '1pb' }, [INTERVAL]: '10s' },
    });
    await eventually('Elasticsearch blocks writes', isBlocked, WITHIN_MS);
    await work();
  } finally {
    await client.cluster.putSettings({ persistent: { [`${WATERMARK}.*`]: null, [INTERVAL]: null } });
    await eventually('Elasticsearch accepts writes', async () => !(await isBlocked()), WITHIN_MS);
  }
}
