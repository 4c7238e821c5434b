import { expect } from 'chai';
import { askCoordinator } from './ask-coordinator.ts';

/** A request that fails with these error types, in order, and then succeeds. */
function failing(...types: string[]) {
  let calls = 0;
  return {
    calls: () => calls,
    request: async () => {
      const type = types[calls++];
      if (type !== undefined) throw Object.assign(new Error(type), { type });
      return 'offsets';
    },
  };
}

describe('askCoordinator', () => {
  it('repeats a request while the coordinator is chosen and loads the group', async () => {
    const { request, calls } = failing('GROUP_COORDINATOR_NOT_AVAILABLE', 'GROUP_LOAD_IN_PROGRESS');
    expect(await askCoordinator(request)).to.equal('offsets');
    expect(calls()).to.equal(3);
  });

  it('does not repeat a refused request', async () => {
    const { request, calls } = failing('NON_EMPTY_GROUP');
    expect(await askCoordinator(request).catch(String)).to.equal('Error: NON_EMPTY_GROUP');
    expect(calls()).to.equal(1);
  });

  it('gives up when its time is over', async () => {
    const { request, calls } = failing('GROUP_LOAD_IN_PROGRESS', 'GROUP_LOAD_IN_PROGRESS');
    expect(await askCoordinator(request, -1).catch(String)).to.equal('Error: GROUP_LOAD_IN_PROGRESS');
    expect(calls()).to.equal(1);
  });
});
