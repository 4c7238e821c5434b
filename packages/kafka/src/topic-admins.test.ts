import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Admin } from 'kafkajs';
import { TopicAdmins } from './topic-admins.ts';

/** Counts the clients that are opened and closed. `connect` can be replaced. */
function clients() {
  const seen = { opened: 0, closed: 0, connect: async (): Promise<void> => undefined };
  const open = () => {
    const number = ++seen.opened;
    return {
      number,
      connect: () => seen.connect(),
      fetchTopicMetadata: async () => undefined,
      disconnect: async () => void seen.closed++,
    } as unknown as Admin;
  };
  return { seen, admins: new TopicAdmins(open) };
}

const numberOf = async (admin: Admin) => (admin as Admin & { number: number }).number;

describe('admin clients per topic', () => {
  it('give each topic one client, also for requests at the same time', async () => {
    const { admins, seen } = clients();
    const numbers = await Promise.all(['a', 'b', 'a'].map((topic) => admins.ask([topic], numberOf)));
    expect(numbers).to.deep.equal([1, 2, 1]);
    await admins.disconnect();
    expect(seen).to.include({ opened: 2, closed: 2 });
  });

  it('keep the client after a failed request, because other requests use it', async () => {
    const { admins, seen } = clients();
    const failure = await admins.ask(['a'], () => Promise.reject(new Error('no leader'))).catch(String);
    expect(failure).to.equal('Error: no leader');
    expect(await admins.ask(['a'], numberOf)).to.equal(1);
    expect(seen.closed).to.equal(0);
  });

  it('close a client that cannot connect, and open a new one for the next request', async () => {
    const { admins, seen } = clients();
    const { connect } = seen;
    seen.connect = () => Promise.reject(new Error('refused'));
    expect(await admins.ask(['a'], numberOf).catch(String)).to.equal('Error: refused');
    seen.connect = connect;
    await turn();
    expect(await admins.ask(['a'], numberOf)).to.equal(2);
    expect(seen.closed).to.equal(1);
  });

  it('disconnect without waiting for a client that is connecting, and close it afterwards', async () => {
    const { admins, seen } = clients();
    const connecting = Promise.withResolvers<void>();
    seen.connect = () => connecting.promise;
    const request = admins.ask(['a'], numberOf).catch(String);
    await admins.disconnect();
    const closedAtOnce = seen.closed;
    connecting.resolve();
    expect(await request).to.contain('the admin client is disconnected');
    await turn();
    expect(seen.closed).to.be.above(closedAtOnce);
  });

  it('refuse requests after `disconnect`', async () => {
    const { admins, seen } = clients();
    await admins.disconnect();
    expect(await admins.ask(['a'], numberOf).catch(String)).to.contain('the admin client is disconnected');
    expect(seen.opened).to.equal(0);
  });
});
