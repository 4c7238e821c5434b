import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { TopicClients } from './topic-clients.ts';

/** Counts the clients that are opened and closed. `connect` can be replaced. */
function countedClients() {
  const seen = { opened: 0, closed: 0, connect: async (): Promise<void> => undefined };
  const open = () => {
    const number = ++seen.opened;
    return { number, disconnect: async () => void seen.closed++ };
  };
  return { seen, clients: new TopicClients({ open, connect: () => seen.connect() }) };
}

const numberOf = async ({ number }: { number: number }) => number;

describe('TopicClients', () => {
  it('gives each topic one client, even for concurrent requests', async () => {
    const { clients, seen } = countedClients();
    const numbers = await Promise.all(['a', 'b', 'a'].map((topic) => clients.ask([topic], numberOf)));
    expect(numbers).to.deep.equal([1, 2, 1]);
    await clients.disconnect();
    expect(seen).to.include({ opened: 2, closed: 2 });
  });

  it('keeps the client after a failed request, because other requests use it', async () => {
    const { clients, seen } = countedClients();
    const failure = await clients.ask(['a'], () => Promise.reject(new Error('no leader'))).catch(String);
    expect(failure).to.equal('Error: no leader');
    expect(await clients.ask(['a'], numberOf)).to.equal(1);
    expect(seen.closed).to.equal(0);
  });

  it('closes a client that cannot connect, and opens a new one for the next request', async () => {
    const { clients, seen } = countedClients();
    const { connect } = seen;
    seen.connect = () => Promise.reject(new Error('refused'));
    expect(await clients.ask(['a'], numberOf).catch(String)).to.equal('Error: refused');
    seen.connect = connect;
    await turn();
    expect(await clients.ask(['a'], numberOf)).to.equal(2);
    expect(seen.closed).to.equal(1);
  });

  it('disconnects without waiting for a client that is connecting, and closes it afterwards', async () => {
    const { clients, seen } = countedClients();
    const connecting = Promise.withResolvers<void>();
    seen.connect = () => connecting.promise;
    const request = clients.ask(['a'], numberOf).catch(String);
    await clients.disconnect();
    const closedAtOnce = seen.closed;
    connecting.resolve();
    expect(await request).to.contain('the client is disconnected');
    await turn();
    expect(seen.closed).to.be.above(closedAtOnce);
  });

  it('refuses requests after `disconnect`', async () => {
    const { clients, seen } = countedClients();
    await clients.disconnect();
    expect(await clients.ask(['a'], numberOf).catch(String)).to.contain('the client is disconnected');
    expect(seen.opened).to.equal(0);
  });
});
