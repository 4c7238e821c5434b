import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { ConsumerHealth } from './consumer-health.ts';
import { Pauses } from './pauses.ts';

describe('the health of a consumer', () => {
  it('names no partition in its reason while it has none', () => {
    const health = new ConsumerHealth({
      topic: 'events',
      pauses: new Pauses(),
      // The consumer counts as stalled from the first moment.
      stallLimits: { unreadyAfter: -1, endAfter: 60_000 },
      gauges: { show: () => undefined, clear: () => undefined } as never,
      log: createLog('test', 'silent'),
      readLogs: async () => [],
    });
    expect(health.reasons()).to.deep.equal(['the consumer of events makes no progress']);
  });
});
