import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { assertFree, describeRefusals, PortsTakenError } from './ports.ts';

describe('the ports that npm start needs', () => {
  for (const host of ['127.0.0.1', undefined]) {
    it(`are reported with their variables if taken on ${host ?? 'all addresses'}`, async () => {
      const server = createServer().listen({ port: 0, ...(host && { host }) });
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const refusal = await assertFree([{ port, variable: 'ADMIN_PORT + 1' }]).catch(
        (error: unknown) => error,
      );
      server.close();
      await once(server, 'close');
      expect(refusal).to.be.instanceOf(PortsTakenError);
      expect(String(refusal)).to.match(
        new RegExp(`Port ${port} \\(ADMIN_PORT \\+ 1\\).*another \`npm start\``, 's'),
      );
      await assertFree([{ port, variable: 'PORT' }]);
    });
  }

  it('are reported as privileged, not as taken, if only root may use them', () => {
    const text = describeRefusals([{ port: 80, variable: 'PORT', code: 'EACCES' }]);
    expect(text)
      .to.include('Port 80 (PORT) is privileged')
      .and.to.include('PORT=9080')
      .and.not.to.include('another `npm start`');
  });
});
