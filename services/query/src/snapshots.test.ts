import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { Snapshots } from './snapshots.ts';

describe('snapshots', () => {
  const create = (lifetimeMs = 10_000) => {
    let opened = 0;
    const closed: string[] = [];
    return { closed, snapshots: new Snapshots({ open: async () => `pit-${++opened}`, close: async (id) => closed.push(id), lifetimeMs }) };
  };
  const anyFault = () => true;
  const idOf = (snapshots: Snapshots) => snapshots.use(async ({ id }) => id, anyFault);

  it('are shared by those who come in their lifetime, and closed once after it', async () => {
    const { snapshots, closed } = create(20);
    expect(await Promise.all([idOf(snapshots), idOf(snapshots)])).to.deep.equal(['pit-1', 'pit-1']);
    expect(closed).to.deep.equal([]);
    await pass(40);
    expect(await idOf(snapshots)).to.equal('pit-2');
    expect(closed).to.deep.equal(['pit-1']);
  });

  it('stay open while they are in use', async () => {
    const { snapshots, closed } = create(5);
    const done = Promise.withResolvers<void>();
    const using = snapshots.use(() => done.promise, anyFault);
    await pass(20);
    expect(closed).to.deep.equal([]);
    done.resolve();
    await using;
    await pass(1);
    expect(closed).to.deep.equal(['pit-1']);
  });

  it('that ended by themselves are replaced, once', async () => {
    const { snapshots, closed } = create();
    await idOf(snapshots);
    const ids: string[] = [];
    const failing = snapshots.use(async ({ id }) => {
      ids.push(id);
      throw new Error('gone');
    }, anyFault);
    expect(await failing.catch(({ message }: Error) => message)).to.equal('gone');
    expect(ids).to.deep.equal(['pit-1', 'pit-2']);
    expect(await idOf(snapshots)).to.equal('pit-3');
    await pass(1);
    expect(closed).to.deep.equal(['pit-1', 'pit-2']);
  });

  it('that are not to blame for a failure stay', async () => {
    const { snapshots } = create();
    const failing = snapshots.use(
      () => Promise.reject(new Error('client left')),
      () => false,
    );
    expect(await failing.catch(({ message }: Error) => message)).to.equal('client left');
    expect(await idOf(snapshots)).to.equal('pit-1');
  });

  it('that cannot be opened fail, and the next one is tried anew', async () => {
    let fails = true;
    const snapshots = new Snapshots({
      open: () => (fails ? Promise.reject(new Error('down')) : Promise.resolve('pit')),
      close: async () => undefined,
      lifetimeMs: 10_000,
    });
    expect(await idOf(snapshots).catch(({ message }: Error) => message)).to.equal('down');
    fails = false;
    expect(await idOf(snapshots)).to.equal('pit');
  });
});
