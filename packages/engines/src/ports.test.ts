import { createServer } from 'node:net';
import { expect } from 'chai';
import { freePorts, portWasTaken } from './ports.ts';

describe('ports', () => {
  it('are distinct, free, and outside the range for outgoing connections', async () => {
    const ports = await freePorts(3);
    expect(new Set(ports).size).to.equal(3);
    for (const port of ports) {
      expect(port).to.be.within(20_000, 31_999);
      const server = createServer();
      await new Promise<void>((resolve, reject) =>
        server.once('error', reject).listen(port, '127.0.0.1', resolve),
      );
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('are reported as taken if the log contains a port collision', () => {
    expect(
      portWasTaken('org.elasticsearch.http.BindHttpException: Failed to bind to 127.0.0.1:9200'),
    ).to.equal(true);
    expect(portWasTaken('Socket server failed to bind to 127.0.0.1:9092: Address already in use.')).to.equal(
      true,
    );
    expect(portWasTaken('java.lang.OutOfMemoryError: Java heap space')).to.equal(false);
  });
});
