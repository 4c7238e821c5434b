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
/** The service ends a search after 5 s and responds 503. The proxy holds a search for less time than that. */
const HELD_AT_MOST_MS = 4_000;
const CONNECTIONS = 24;
const PAUSE_MS = 200;

interface StopOptions {
  /** The number of requests that the proxy holds when the signal arrives. */
  count: number;
  env?: Record<string, string>;
  /** The limit for the time from the signal to the exit, in milliseconds. */
  withinMs: number;
  /** Whether the proxy forwards the requests after the service has closed its port. */
  isReleased: boolean;
}

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
    const partitionsOf = (projector: ServiceProcess): number => {
      const assigned = projector.log().matchAll(/"partitions":\[([^\]]*)\],"msg":"partitions assigned"/g);
      const list = [...assigned].at(-1)?.[1] ?? '';
      return list === '' ? 0 : list.split(',').length;
    };
    const records: ReturnType<typeof workload> = [];
    let staying: ServiceProcess | undefined;
    // A busy machine may delay a handover. A projector that does not leave its group is late every time.
    await eventually('a handover within the limits', async () => {
      proxy.hook = () => 'pass';
      const leaving = spawn(proxy.url);
      await eventually('the projector has partitions', async () => partitionsOf(leaving) > 0);
      staying ??= spawn(deployment.env.ELASTICSEARCH_URL as string);
      const other = staying;
      await eventually('both projectors are in the group', async () => {
        const group = await deployment.admin.describeGroup(deployment.groupId);
        return group.state === 'Stable' && group.members.length === 2 && partitionsOf(other) < 3;
      });

      // The signal arrives while a write is in flight.
      let underWay = false;
      proxy.hook = async (step, moment): Promise<Verdict> => {
        if (step !== 'write states' || moment !== 'before') return 'pass';
        underWay = true;
        await sleep(1_000);
        return 'pass';
      };
      const more = workload({ seed: 91 + records.length, listings: 300, events: 3_000 });
      records.push(...more);
      await deployment.publish(more);
      await eventually('a write in flight', async () => underWay, 120_000, 10);

      const told = Date.now();
      expect(await leaving.end('SIGTERM'), leaving.log()).to.equal(0);
      const left = Date.now() - told;
      const { members } = await deployment.admin.describeGroup(deployment.groupId);
      expect(members, 'members after the exit').to.have.length(1);
      await eventually('the other projector has all partitions', async () => partitionsOf(other) === 3);
      const taken = Date.now() - told;
      process.stderr.write(
        `# the projector exited after ${left} ms; its partitions were reassigned after ${taken} ms\n`,
      );
      return left < 5_000 && taken < SESSION_TIMEOUT_MS - 2_000;
    });

    // If a committed offset were beyond the finished records, records would be missing here.
    await deployment.caughtUp();
    await expectFold(deployment, records);
  });
});

describe('a query service that receives SIGTERM', () => {
  let query: QueryProcess;
  let proxy: FaultProxy;
  let release: () => void = () => undefined;

  beforeEach(async () => {
    proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
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
    let waiting = 0;
    let heldAt = 0;
    proxy.hook = async (step, moment): Promise<Verdict> => {
      // The proxy forwards the searches that pages share.
      if (step !== 'read page') return 'pass';
      if (waiting === 0) heldAt = Date.now();
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
    return { agent, heldAt, answers: Promise.all(answers) };
  };

  /**
   * Sends SIGTERM while the proxy holds requests, and expects their responses and exit code 0. Repeats this
   * until nothing is late, because a busy machine may cause delays. A service that waits for too long is late
   * every time.
   */
  const expectStop = (
    { count, env, withinMs, isReleased }: StopOptions,
    answer: { status: number; connection: string },
  ) =>
    eventually(`an exit within ${withinMs} ms`, async () => {
      const { agent, heldAt, answers } = await holding(count, env);
      const told = Date.now();
      const ended = query.process.end('SIGTERM');
      await eventually('the service refuses connections', async () =>
        fetch(`${query.origin}/api/ai-feed`, { signal: AbortSignal.timeout(1_000) }).then(
          () => false,
          ({ cause }: Error & { cause?: { code?: string } }) => cause?.code === 'ECONNREFUSED',
        ),
      );
      if (isReleased) release();
      const isInTime = Date.now() - heldAt < HELD_AT_MOST_MS;
      const received = await answers;
      if (isInTime) expect(received).to.deep.equal(Array(count).fill(answer));
      expect(await ended, query.process.log()).to.equal(0);
      const tookMs = Date.now() - told;
      release();
      agent.destroy();
      return isInTime && tookMs < withinMs;
    });

  for (const processes of ['1', '2'])
    it(`completes all accepted requests, closes their connections, and accepts no others (PROCESSES=${processes})`, async () => {
      await expectStop(
        { count: 6, env: { PROCESSES: processes }, withinMs: 5_000, isReleased: true },
        { status: 200, connection: 'close' },
      );
    });

  it('sends every client a response before it exits, even if Elasticsearch never responds', async () => {
    await expectStop({ count: 3, withinMs: 10_000, isReleased: false }, { status: 503, connection: 'close' });
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
