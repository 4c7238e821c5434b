import { expect } from 'chai';
import { fakePage, runHook, withLostConnection } from '../run-hook.ts';

describe('the state of the console', () => {
  const setNetwork = fakePage();

  it('is unknown if a connection never responds', () =>
    withLostConnection(setNetwork, async (reachDeadline) => {
      const { useConsole } = await import('./use-console.ts');
      const hook = await runHook(() => useConsole(), undefined);
      expect(hook.result.isGone).to.equal(false);
      await reachDeadline();
      expect(hook.result.isGone).to.equal(true);
      hook.stop();
    }));
});
