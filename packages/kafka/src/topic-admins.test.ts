import { expect } from 'chai';
import type { Admin } from 'kafkajs';
import { TopicAdmins } from './topic-admins.ts';

/** Counts the clients that are opened and closed. `refused` makes the next connections fail. */
function clients() {
  const seen = { opened: 0, closed: 0, refused: 0 };
  const open = () => {
    const number = ++seen.opened;
    return {
      number,
      connect: async () => {
        if (seen.refused > 0 && seen.refused--) throw new Error('refused');
      },
      disconnect: async () => void seen.closed++,
    } as unknown as Admin & { number: number };
  };
  return { seen, admins: new TopicAdmins(open) };
}

const numberOf = async (admin: Admin) => (admin as Admin & { number: number }).number;

describe('admin clients per topic', () => {
  it('give each topic one client, also to requests at the same time', async () => {
    const { admins, seen } = clients();
    const numbers = await Promise.all(['a', 'b', 'a'].map((topic) => admins.ask([topic], numberOf)));
    expect(numbers).to.deep.equal([1, 2, 1]);
    await admins.disconnect();
    expect(seen).to.include({ opened: 2, closed: 2 });
  });

  it('give a topic a new client after an error, and close the old one', async () => {
    const { admins, seen } = clients();
    const failure = await admins.ask(['a'], () => Promise.reject(new Error('no leader'))).catch(String);
    expect(failure).to.equal('Error: no leader');
    expect(await admins.ask(['a'], numberOf)).to.equal(2);
    expect(seen.closed).to.equal(1);
  });

  it('connect again after a refused connection', async () => {
    const { admins, seen } = clients();
    seen.refused = 1;
    expect(await admins.ask(['a'], numberOf).catch(String)).to.equal('Error: refused');
    expect(await admins.ask(['a'], numberOf)).to.equal(2);
  });
});
