import { expect } from 'chai';
import { fetchAccepted } from '../../support/fetch-accepted.ts';
import { eventually } from '../../support/service-process.ts';
import { completeListing, readPage } from '../support/market.ts';
import { queryMib, type System } from '../support/system.ts';

/** Number of complete listings in the demo (packages/fixtures). */
const DEMO_ITEMS = 1_500;
const COMPLETE_WITHIN_MS = 5 * 60_000;
const CHANGE_WITHIN_MS = 120_000;
const PROCESSES = 4;
const CLIENTS = 40;
const LOAD_MS = 20_000;

/** The demo profile produces a changing feed, and four processes stay below their memory limit. */
export function describeDemo(system: () => System): void {
  describe('the demo profile', () => {
    const page = (query: string) => readPage(`${system().feedUrl}/ai-feed?${query}`);
    const total = async () => (await page('pageSize=1'))?.meta.total;
    before(() => system().up('demo'));

    it('publishes the demo listings, and then changes', async () => {
      const before = (await total()) ?? 0;
      await eventually(
        'the demo listings are in the feed',
        async () => ((await total()) ?? 0) >= before + DEMO_ITEMS,
        COMPLETE_WITHIN_MS,
        1_000,
      );
      const first = await lastChange(system());
      await eventually(
        'the feed changes',
        async () => (await lastChange(system())) !== first,
        CHANGE_WITHIN_MS,
        1_000,
      );
      expect(await system().logOf('demo')).to.match(/demo listings published in [\d,]+ events/);
    });

    it('publishes the events of a file', async () => {
      const options = ['run', '--rm', '-T', '--no-deps', '--entrypoint', 'node', 'demo'];
      const { value } = completeListing('from-a-file');
      const { code, stdout, stderr } = await system().composeWith(
        String(value),
        ...options,
        'demo/src/publish-event.ts',
        '-',
      );
      expect(code, stderr).to.equal(0);
      expect(stdout).to.include('from-a-file, version 1: snapshot');
      await eventually(
        'the listing is in the feed',
        async () =>
          (await page('city=curitiba&price_min=450000&price_max=450000&pageSize=100'))?.data.some(
            ({ id }) => id === 'from-a-file',
          ) ?? false,
        CHANGE_WITHIN_MS,
        1_000,
      );
    });

    it('stops gracefully', async () => {
      await system().require('--profile', 'demo', 'stop', 'demo');
      expect((await system().inspect('demo')).State.ExitCode).to.equal(0);
    });
  });

  describe(`${PROCESSES} query processes`, () => {
    before(async () => {
      system().setProcesses(PROCESSES);
      await system().up();
    });

    it('answer large pages below the memory limit of the container', async () => {
      const until = Date.now() + LOAD_MS;
      let answered = 0;
      const client = async (number: number) => {
        for (let turn = 0; Date.now() < until; turn++) {
          const query = `pageSize=100&page=${1 + ((number * 7 + turn) % 14)}&price_min=${turn % 50}`;
          if (await readPage(`${system().feedUrl}/ai-feed?${query}`)) answered++;
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
      expect(answered).to.be.above(CLIENTS);
      const { State, RestartCount, HostConfig } = await system().inspect('query');
      expect(HostConfig.Memory).to.equal(queryMib(PROCESSES) * 1024 ** 2);
      expect({ oom: State.OOMKilled, restarts: RestartCount, status: State.Health?.Status }).to.deep.equal({
        oom: false,
        restarts: 0,
        status: 'healthy',
      });
      const log = await system().require('logs', '--no-color', 'query');
      expect(log, 'a process was killed').not.to.match(/SIGKILL/);
    });
  });
}

/** The address after the last change. It contains the number of that change. */
async function lastChange(system: System): Promise<string> {
  for (let url = `${system.feedUrl}/changes?limit=1000`; ; ) {
    const response = await fetchAccepted(url);
    if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
    const { next, items } = (await response.json()) as { next: string; items: object[] };
    if (items.length === 0) return url;
    url = next;
  }
}
