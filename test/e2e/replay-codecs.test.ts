import { setTimeout as sleep } from 'node:timers/promises';
import { MarketEvents, workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';

const CODECS = ['uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'];
/** The acceptance run uses 20. */
const RUNS = Number(process.env.REPLAY_RUNS ?? 1);
/** The pause between two batches of 30 events. It bounds the load on any machine. */
const PAUSE_MS = 250;
/** Allows every timestamp. By default, the newest brokers restrict timestamps. */
const ANY_TIME = { 'message.timestamp.after.max.ms': String(2n ** 63n - 1n) };

describe('a topic with batches of every codec', function () {
  this.timeout(300_000 * RUNS);
  let deployment: Deployment;
  let projector: RunningProjector;
  const market = new MarketEvents();

  /** Makes the broker compress the next batches with this codec, as other teams' producers do. */
  const compressWith = (codec: string) =>
    deployment.admin.setTopicSettings(deployment.topic, {
      ...ANY_TIME,
      'max.message.bytes': '6000000',
      'compression.type': codec,
    });

  before(async () => {
    deployment = await createDeployment('codecs', 3, ANY_TIME);
    projector = await runProjector(deployment);
    for (const [seed, codec] of CODECS.entries()) {
      await compressWith(codec);
      await deployment.publish(workload({ seed, listings: 200, events: 600 }));
    }
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await deployment.close();
  });

  it('kafkajs#1141: replay --from states succeeds while producers use every codec', async () => {
    const loaded = new AbortController();
    const load = (async () => {
      for (let i = 0; !loaded.signal.aborted; i++) {
        await compressWith(CODECS[i % CODECS.length] as string);
        await deployment.publish(Array.from({ length: 30 }, (_, n) => market.snapshot((i * 30 + n) % 300)));
        await sleep(PAUSE_MS);
      }
    })();
    try {
      for (let run = 1; run <= RUNS; run++) {
        const { code, output } = await cli(deployment, ['replay', '--from', 'states']);
        expect(code, `run ${run}: ${output}`).to.equal(0);
        expect(output).not.to.match(/not implemented/i);
        if (run === 1) expect((await cli(deployment, ['verify'])).code, 'verify').to.equal(0);
        expect((await cli(deployment, ['prune'])).code).to.equal(0);
      }
    } finally {
      loaded.abort();
      await load;
    }
  });

  it('is read by explain --history, even past records whose timestamp is in nanoseconds', async () => {
    const producer = deployment.kafka.producer();
    await producer.connect();
    const [record] = workload({ seed: 7, listings: 1, events: 1 });
    const key = String(record?.key);
    const nanoseconds = String(BigInt(Date.now()) * 1_000_000n);
    const messages = CODECS.map(() => ({ key, value: 'x' }));
    for (const [i, message] of messages.entries()) {
      await compressWith(CODECS[i] as string);
      await producer.send({
        topic: deployment.topic,
        messages: [{ ...message, ...(i % 2 === 0 && { timestamp: nanoseconds }) }],
      });
    }
    await producer.disconnect();
    await deployment.caughtUp();
    const { code, output, json } = await cli(deployment, ['explain', key, '--history']);
    expect(code, output).to.equal(0);
    const { history } = json as unknown as { history: { newest: { kind: string; at?: string }[] } };
    const refused = history.newest.filter(({ kind }) => kind === 'refused');
    expect(refused).to.have.lengthOf(CODECS.length);
    expect(refused.filter(({ at }) => at === undefined)).to.have.lengthOf(3);
  });
});
