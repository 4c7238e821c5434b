import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { expectOrdinaryListings, largeListings, REQUEST_LIMIT } from '../support/large-listings.ts';
import { eventually } from '../support/service-process.ts';

describe('kafka-connect-elasticsearch#512: a proxy answers 413', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector;
  let limit = REQUEST_LIMIT;
  let refused: number[] = [];
  /** Number of responses with which Elasticsearch itself makes the projector retry. */
  let unavailable = 0;

  before(async () => {
    deployment = await createDeployment('bulk-size');
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    proxy.hook = (_, moment, { body, answer }) => {
      if (moment === 'after' && /"status":(429|5\d\d)\b/.test(String(answer))) unavailable++;
      if (moment === 'after' || body.length <= limit) return 'pass';
      refused.push(body.length);
      return { refuse: 413 };
    };
    projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url });
  });
  after(async () => {
    await projector.stop();
    await proxy.close();
    await deployment.close();
  });
  beforeEach(() => {
    refused = [];
  });
  /**
   * While the projector learns the limit, each of the four concurrent chunks can be refused
   * at 5 MiB, 2.5 MiB, … 164 KB.
   */
  const expectLearned = () => expect(refused).to.have.length.within(1, 4 * 6 + 1);

  it('the projector sends smaller requests, and what never fits becomes a dead letter', async () => {
    await deployment.publish(largeListings());
    await deployment.caughtUp();
    await expectOrdinaryListings(deployment, 1);
    expectLearned();
    expect(await projector.reasons()).to.deep.equal([]);
    expect(await projector.metric('projector_elasticsearch_retries_total')).to.be.at.most(unavailable);
    expect(await projector.metric('projector_bulk_limit_bytes')).to.be.within(8_192, REQUEST_LIMIT);
  });

  for (const [generation, source] of [
    [2, []],
    [3, ['--from', 'states']],
  ] as const)
    it(`a rebuild sends smaller requests: ${['replay', ...source].join(' ')}`, async () => {
      const env = { ...deployment.env, ELASTICSEARCH_URL: proxy.url };
      const replayed = await cli({ ...deployment, env }, ['replay', ...source]);
      expect(replayed.code, replayed.output).to.equal(0);
      await deployment.client.indices.refresh({ index: `${deployment.prefix}-items-${generation}` });
      await expectOrdinaryListings(deployment, generation);
      expectLearned();
    });

  it('a proxy that refuses every request makes no dead letter, and the reason names 413 and the setting', async () => {
    const deadLetters = await deployment.deadLetterCount();
    limit = 4_000;
    await deployment.publish(largeListings().slice(0, 2));
    await eventually('the reason names the status', async () =>
      (await projector.reasons()).some(
        (reason) =>
          /refuses bulk requests of 8192 bytes/.test(reason) &&
          /nginx: client_max_body_size/.test(reason) &&
          /HTTP status 413: 413 Refused by the proxy$/.test(reason),
      ),
    );
    expect(await deployment.deadLetterCount()).to.equal(deadLetters);
    limit = REQUEST_LIMIT;
    await deployment.caughtUp();
    await eventually('ready again', async () => (await projector.reasons()).length === 0);
    expect(await deployment.deadLetterCount()).to.equal(deadLetters);
  });
});
