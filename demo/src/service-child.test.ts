import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { expect } from 'chai';
import { PortsTakenError } from './ports.ts';
import { ServiceDiedError, startServiceChild } from './service-child.ts';
import { reasonOfDeath } from './session-steps.ts';

describe('a service that ends unexpectedly', function () {
  this.timeout(60_000);

  it('shows its error once', async () => {
    const supervisor = new ProcessSupervisor();
    const shown: string[] = [];
    try {
      const env = { PATH: process.env['PATH'], ELASTICSEARCH_URL: 'no address' };
      const service = startServiceChild(supervisor, {
        name: 'query',
        env,
        logLevel: 'warn',
        show: (line) => shown.push(line),
      });
      const { message } = await service.died;
      const lines = [...shown, ...message.split('\n')].map((line) => line.trim());
      expect(lines.join('\n')).to.include('ELASTICSEARCH_URL');
      expect(lines.filter((line) => line.includes('ELASTICSEARCH_URL'))).to.have.length(1);
      expect(message).to.match(/^The query service ended unexpectedly \(exit code 1\)\./);
    } finally {
      await supervisor.end();
    }
  });

  it('reports a port that another process took after the first check, and the remedy', async () => {
    const died = new ServiceDiedError('died');
    const server = createServer().listen({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const ports = [{ port: (server.address() as AddressInfo).port, variable: 'PORT' }];
    const reason = await reasonOfDeath(died, ports);
    server.close();
    await once(server, 'close');
    expect(reason).to.be.instanceOf(PortsTakenError);
    expect(String(reason)).to.include('another `npm start`');
    expect(await reasonOfDeath(died, ports)).to.equal(died);
  });
});
