import { generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, forgetDeletions } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, type Step, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';

/** Longer than the 20 seconds after which a client abandons a request and sends it again. */
const AFTER_CLIENT_TIMEOUT_MS = 60_000;

/**
 * Holds the first bulk request of this step, as a frozen node or proxy would.
 * @returns `intercepted`, which resolves when a request is intercepted, and `deliver`, which forwards this
 * request
 */
function holdFirst(
  proxy: FaultProxy,
  wanted: Step,
): { intercepted: Promise<void>; deliver(): Promise<void> } {
  const intercepted = Promise.withResolvers<void>();
  const delivery = Promise.withResolvers<Verdict>();
  const answered = Promise.withResolvers<void>();
  let first: Buffer | undefined;
  proxy.hook = (step, moment, { body }) => {
    if (step === wanted && moment === 'before' && !first) {
      first = body;
      intercepted.resolve();
      return delivery.promise;
    }
    if (body === first && moment === 'after') answered.resolve();
    return 'pass';
  };
  const deliver = async () => {
    delivery.resolve('pass');
    await answered.promise;
  };
  return { intercepted: intercepted.promise, deliver };
}

const LISTINGS = 5;

interface Scene {
  deployment: Deployment;
  proxy: FaultProxy;
  market: MarketEvents;
  /** Starts the projector with this Elasticsearch URL, or with the engine's own URL. */
  project(elasticsearchUrl?: string): Promise<void>;
  /** Removes a listing, and makes Elasticsearch forget that its item was deleted. */
  removeAndForget(listing: number, generation: number): Promise<void>;
}

async function inScene(play: (scene: Scene) => Promise<void>): Promise<void> {
  const deployment = await createDeployment('delayed', 1);
  const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  const market = new MarketEvents();
  let projector: RunningProjector | undefined;
  try {
    await play({
      deployment,
      proxy,
      market,
      project: async (url) => {
        projector = await runProjector(deployment, url === undefined ? {} : { ELASTICSEARCH_URL: url });
      },
      removeAndForget: (listing, generation) =>
        forgetDeletions(deployment.client, generationNames(deployment.prefix, generation).items, async () => {
          await deployment.publish([market.removed(listing)]);
          await deployment.caughtUp(undefined, generation);
        }),
    });
  } finally {
    await projector?.stop();
    await proxy.close();
    await deployment.close();
  }
}

async function delayedProjection({
  deployment,
  proxy,
  market,
  project,
  removeAndForget,
}: Scene): Promise<void> {
  const items = generationNames(deployment.prefix, 1).items;
  await project(proxy.url);
  const { intercepted, deliver } = holdFirst(proxy, 'write items');
  await deployment.publish(Array.from({ length: LISTINGS }, (_, i) => market.snapshot(i)));
  await intercepted;
  // The projector abandons the request and writes the items with a new request.
  await deployment.caughtUp(AFTER_CLIENT_TIMEOUT_MS);
  await removeAndForget(1, 1);
  await expectFold(deployment, market.sent);

  await deliver();
  await deployment.client.indices.refresh({ index: items });
  expect([...(await deployment.items()).keys()], 'items after the delayed request').to.include(
    MarketEvents.idOf(1),
  );
  const repaired = await cli(deployment, ['verify', '--self']);
  expect(repaired.code, repaired.output).to.equal(0);
  expect(repaired.json.disagreements).to.deep.equal([
    { id: MarketEvents.idOf(1), kind: 'hidden', repaired: true },
  ]);
  await deployment.client.indices.refresh({ index: items });
  await expectFold(deployment, market.sent);
}

async function delayedRebuild({ deployment, proxy, market, project, removeAndForget }: Scene): Promise<void> {
  await project();
  await deployment.publish(Array.from({ length: LISTINGS }, (_, i) => market.snapshot(i)));
  await deployment.caughtUp();
  const { intercepted, deliver } = holdFirst(proxy, 'write states');
  const through = { ...deployment, env: { ...deployment.env, ELASTICSEARCH_URL: proxy.url } };
  const replaying = cli(through, ['replay', '--from', 'states']);
  await intercepted;
  // The builder abandons the request and writes the page with a new request.
  const replayed = await replaying;
  expect(replayed.code, replayed.output).to.equal(0);
  for (const command of ['verify', 'switch'])
    expect((await cli(deployment, [command])).code, command).to.equal(0);
  await removeAndForget(1, 2);
  await deliver();
  await deployment.client.indices.refresh({ index: generationNames(deployment.prefix, 2).items });
  await expectFold(deployment, market.sent);
}

/** The scenes run concurrently, so the test waits for the clients' timeout only once. */
describe("a bulk request that arrives after its client's timeout and after index.gc_deletes", () => {
  let projection: Promise<void>;
  let rebuild: Promise<void>;

  before(() => {
    projection = inScene(delayedProjection);
    rebuild = inScene(delayedRebuild);
    // The tests below await the scenes. Until then, this catch prevents an unhandled rejection.
    for (const scene of [projection, rebuild]) scene.catch(() => undefined);
  });
  after(() => Promise.allSettled([projection, rebuild]));

  it('restores a removed item if the live projection sent it (decision 0002); verify --self repairs this', () =>
    projection);

  it('is rejected if a rebuild sent it and has finished meanwhile', () => rebuild);
});
