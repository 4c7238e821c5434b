import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateItems, TODAY, workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

/** How long the broker would wait for a member that does not leave the group. */
const SESSION_TIMEOUT_MS = 10_000;
const CONNECTIONS = 24;
const PAUSE_MS = 200;

describe('a projector that receives SIGTERM under load', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  const running: ServiceProcess[] = [];

  before(async () => {
    deployment = await createDeployment('shutdown', 3);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  });
  after(async () => {
    await Promise.all(running.map((projector) => projector.end('SIGKILL')));
    await proxy.close();
    await deployment.close();
  });

  it('leaves its group immediately, another projector takes over, and the offsets are correct', async () => {
    const spawn = (url: string) => {
      const projector = startService('projector', {
        ...deployment.env,
        ELASTICSEARCH_URL: url,
        LOG_LEVEL: 'info',
      });
      running.push(projector);
      return projector;
    };
    const leaving = spawn(proxy.url);
    await eventually('the first projector has partitions', async () =>
      /"msg":"partitions assigned"/.test(leaving.log()),
    );
    const staying = spawn(deployment.env.ELASTICSEARCH_URL as string);
    await eventually('both projectors are in the group', async () => {
      const group = await deployment.admin.describeGroup(deployment.groupId);
      return group.state === 'Stable' && group.members.length === 2;
    });

    // The signal arrives while a write is in flight.
    let underWay = false;
    proxy.hook = async (step, moment): Promise<Verdict> => {
      if (step !== 'write states' || moment !== 'before') return 'pass';
      underWay = true;
      await sleep(1_000);
      return 'pass';
    };
    const records = workload({ seed: 91, listings: 300, events: 3_000 });
    await deployment.publish(records);
    await eventually('a write in flight', async () => underWay, 120_000, 10);

    const assignments = () =>
      [...staying.log().matchAll(/"partitions":\[([^\]]*)\],"msg":"partitions assigned"/g)].map(
        ([, list = '']) => list,
      );
    const told = Date.now();
    expect(await leaving.end('SIGTERM'), leaving.log()).to.equal(0);
    const left = Date.now() - told;
    await eventually(
      'the other projector has all partitions',
      async () => assignments().at(-1)?.split(',').length === 3,
      SESSION_TIMEOUT_MS,
    );
    const taken = Date.now() - told;
    process.stderr.write(
      `# the projector exited after ${left} ms; its partitions were reassigned after ${taken} ms\n`,
    );
    expect(left, 'milliseconds until the projector exited').to.be.below(5_000);
    expect(taken, 'milliseconds until its partitions were reassigned').to.be.below(
      SESSION_TIMEOUT_MS - 2_000,
    );

    // If a committed offset were beyond the finished records, records would be missing here.
    await deployment.caughtUp();
    await expectFold(deployment, records);
  });
});

describe('a query service that receives SIGTERM', () => {
  let query: QueryProcess;
  let proxy: FaultProxy;
  let waiting = 0;
  let release: () => void = () => undefined;

  beforeEach(async () => {
    proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    waiting = 0;
  });
  afterEach(async () => {
    await query.process.end('SIGKILL');
    await proxy.close();
  });

  /** Starts the service, and sends this number of requests, whose searches the proxy holds. */
  const holding = async (count: number, env: Record<string, string> = {}) => {
    query = await startQueryProcess(generateItems(50), {
      ELASTICSEARCH_URL: proxy.url,
      FEED_TODAY: TODAY,
      CACHE_BYTES: '0',
      ...env,
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.hook = async (step, moment): Promise<Verdict> => {
      // The proxy forwards the searches that pages share.
      if (step !== 'read page') return 'pass';
      if (moment === 'before') waiting++;
      await released;
      return 'pass';
    };
    const agent = new Agent({ keepAlive: true });
    const answers = Array.from({ length: count }, async (_, i) => {
      const [response] = (await once(
        get(`${query.origin}/api/ai-feed?pageSize=${i + 1}`, { agent }),
        'response',
      )) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return { status: response.statusCode, connection: response.headers.connection };
    });
    await eventually('the proxy holds every request', async () => waiting >= count);
    return { agent, answers: Promise.all(answers) };
  };

  for (const processes of ['1', '2'])
    it(`completes all accepted requests, closes their connections, and accepts no others (PROCESSES=${processes})`, async () => {
      const { agent, answers } = await holding(6, { PROCESSES: processes });
      const told = Date.now();
      const ended = query.process.end('SIGTERM');
      await eventually('the service refuses connections', async () =>
        fetch(`${query.origin}/api/ai-feed`, { signal: AbortSignal.timeout(1_000) }).then(
          () => false,
          ({ cause }: Error & { cause?: { code?: string } }) => cause?.code === 'ECONNREFUSED',
        ),
      );
      release();
      expect(await answers).to.deep.equal(Array(6).fill({ status: 200, connection: 'close' }));
      expect(await ended, query.process.log()).to.equal(0);
      expect(Date.now() - told).to.be.below(5_000);
      agent.destroy();
    });

  it('sends every client a response before it exits, even if Elasticsearch never responds', async () => {
    const { agent, answers } = await holding(3);
    const told = Date.now();
    const ended = query.process.end('SIGTERM');
    expect(await answers).to.deep.equal(Array(3).fill({ status: 503, connection: 'close' }));
    expect(await ended, query.process.log()).to.equal(0);
    expect(Date.now() - told).to.be.below(10_000);
    release();
    agent.destroy();
  });

  /** Sends one request after another over one connection, until a response announces its end. */
  const askUntilTold = async (onAnswer: () => void): Promise<string> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (;;) {
        const request = get(`${query.origin}/api/ai-feed?pageSize=3`, { agent });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        response.resume();
        await once(response, 'end');
        if (response.statusCode !== 200) return `status ${response.statusCode}`;
        if (response.headers.connection === 'close') return 'told to reconnect';
        onAnswer();
      }
    } catch (error) {
      return String(error);
    } finally {
      agent.destroy();
    }
  };

  // After a pause without CPU time, a process finds the signal and all waiting requests at the same moment.
  for (let round = 1; round <= 5; round++)
    it(`resets no connection of busy clients after a pause (round ${round} of 5)`, async () => {
      query = await startQueryProcess(generateItems(50), { ELASTICSEARCH_URL: proxy.url, FEED_TODAY: TODAY });
      let answers = 0;
      const clients = Array.from({ length: CONNECTIONS }, () => askUntilTold(() => answers++));
      await eventually('all clients send requests', async () => answers > 10 * CONNECTIONS);
      query.process.child.kill('SIGSTOP');
      await eventually('the process is paused', async () => stateOf(query.process.pid) === 'T');
      await sleep(PAUSE_MS);
      query.process.child.kill('SIGTERM');
      query.process.child.kill('SIGCONT');
      expect(await Promise.all(clients)).to.deep.equal(Array(CONNECTIONS).fill('told to reconnect'));
      expect(await query.process.exited, query.process.log()).to.equal(0);
    });
});

/** The state of a process in the kernel's notation, for example `T` for a paused process. */
const stateOf = (pid: number): string | undefined =>
  /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
