import type { Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/service-process.ts';

const WATERMARK = 'cluster.routing.allocation.disk.watermark';
const INTERVAL = 'cluster.info.update.interval';
const BLOCK = 'index.blocks.read_only_allow_delete';
const WITHIN_MS = 90_000;

/** Makes Elasticsearch consider its disk full, so that it refuses all writes, while `work` runs. */
export async function blockWrites({ client, prefix }: Deployment, work: () => Promise<void>): Promise<void> {
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
