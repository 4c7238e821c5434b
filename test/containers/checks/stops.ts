import { expect } from 'chai';
import { eventually } from '../../support/service-process.ts';
import { docker } from '../support/docker.ts';
import { readPage } from '../support/market.ts';
import { ENGINES, SERVICES, type System } from '../support/system.ts';

/** Bounds in seconds: a service ends after 20 s at the latest, and Compose gives an engine 60 s. */
const BOUNDS = { projector: 20, query: 20, kafka: 60, elasticsearch: 60 } as const;
/** Java exits with this code after SIGTERM. */
const TERMINATED = 143;

/** Each container stops gracefully within its bound, and the data survives `down` and `up`. */
export function describeStops(system: () => System): void {
  describe('stopping', () => {
    for (const service of [...SERVICES, ...ENGINES])
      it(`${service} ends after SIGTERM within ${BOUNDS[service]} s`, async () => {
        const begun = Date.now();
        await system().require('stop', service);
        const { State } = await system().inspect(service);
        // Docker kills a container that exceeds its bound, and the exit code is then 137.
        expect(State.ExitCode).to.be.oneOf(SERVICES.includes(service as never) ? [0] : [0, TERMINATED]);
        expect((Date.parse(State.FinishedAt) - begun) / 1_000).to.be.below(BOUNDS[service]);
        await system().require('start', service);
        await system().untilHealthy(service);
      });

    it('`down` leaves only the named volumes, and `up` finds the data again', async () => {
      const total = async () => (await readPage(`${system().feedUrl}/ai-feed?pageSize=1`))?.meta.total;
      const before = await eventually('the feed responds', total);
      await system().down();
      const filter = `label=com.docker.compose.project=${system().project}`;
      const left = async (...list: string[]) =>
        (await docker(...list, '--quiet', '--filter', filter)).split('\n').filter(Boolean);
      expect(await left('ps', '--all')).to.deep.equal([]);
      expect(await left('network', 'ls')).to.deep.equal([]);
      expect((await left('volume', 'ls')).sort()).to.deep.equal(
        ENGINES.map((engine) => `${system().project}_${engine}-data`).sort(),
      );
      await system().up();
      expect(await eventually('the feed responds again', total, 60_000)).to.equal(before);
    });
  });
}
