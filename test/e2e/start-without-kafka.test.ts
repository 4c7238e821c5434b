import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePorts } from '@vitrine/engines/testing';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { ingestEnv } from '../support/ingest.ts';
import { becomesReady } from '../support/query-service.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const MAPPING = 'infra/kubernetes/example/ingest/mapping.ts';

describe('a service that starts while Kafka is away', () => {
  let deployment: Deployment;
  let service: ServiceProcess;
  let kafka: Server;
  const sockets = new Set<Socket>();

  before(async () => {
    deployment = await createDeployment('without-kafka', 1);
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    for (const socket of sockets) socket.destroy();
    kafka.close();
  });
  after(() => deployment.close());

  for (const [name, env, args] of [
    ['projector', () => deployment.env, []],
    ['ingest', () => ingestEnv(deployment), ['--mapping', MAPPING]],
  ] as const)
    it(`${name}: waits, unready and live, and becomes ready as soon as Kafka responds`, async () => {
      const [port = 0, adminPort = 0] = await freePorts(2);
      const admin = `http://127.0.0.1:${adminPort}`;
      kafka = forwardTo(deployment.env.KAFKA_BROKERS as string);
      service = startService(
        name,
        { ...env(), KAFKA_BROKERS: `127.0.0.1:${port}`, ADMIN_PORT: String(adminPort), LOG_LEVEL: 'info' },
        args,
      );
      await eventually(
        'the first attempt to connect has failed',
        async () => /"msg":"waiting for Kafka"/.test(service.log()) || service.child.exitCode !== null,
      );
      expect(service.child.exitCode, service.log()).to.equal(null);
      const ready = await fetch(`${admin}/health/ready`);
      expect(ready.status).to.equal(503);
      expect(((await ready.json()) as { reasons: string[] }).reasons.join()).to.include(
        `waiting for Kafka: Kafka does not respond at 127.0.0.1:${port}`,
      );
      expect((await fetch(`${admin}/health/live`)).status).to.equal(200);
      kafka.listen(port, '127.0.0.1');
      await once(kafka, 'listening');
      // The ingest waits for its source topic, which does not exist in this test.
      if (name === 'projector') await becomesReady(admin);
      else
        await eventually('the ingest looks for its source topic', async () =>
          /"msg":"the source topic .* does not exist yet"/.test(service.log()),
        );
    });

  /** Forwards connections to the broker. The broker's metadata contains the broker's own address. */
  const forwardTo = (broker: string): Server => {
    const [host = '', port] = broker.split(':');
    return createServer((from) => {
      const to = connect(Number(port), host);
      for (const socket of [from, to]) {
        sockets.add(socket);
        socket.on('error', () => [from, to].forEach((one) => void one.destroy()));
      }
      from.pipe(to).pipe(from);
    });
  };
});
