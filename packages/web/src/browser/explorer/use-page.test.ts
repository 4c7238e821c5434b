import { expect } from 'chai';
import { fakePage, runHook, settled, withLostConnection } from '../run-hook.ts';
import type { SearchState } from './search-state.ts';

describe('the page of the explorer', () => {
  const setNetwork = fakePage();
  const respond = async () => Response.json({ data: [], meta: { total: 1_200 } });
  const ofCity = (city: string): SearchState => ({ feed: 'ai-feed', city });
  const open = async (city: string) => {
    const { usePage } = await import('./use-page.ts');
    return runHook((of: string) => usePage(`http://shop.example/?city=${of}`, ofCity(of)), city);
  };
  const totalOf = ({ result: { answer } }: Awaited<ReturnType<typeof open>>) =>
    answer?.kind === 'page' ? answer.page.meta.total : undefined;

  it('does not give the previous answer for a request that nothing answered', async () => {
    setNetwork(respond);
    const hook = await open('recife');
    expect([totalOf(hook), hook.result.isUnreachable]).to.deep.equal([1_200, false]);
    setNetwork(() => Promise.reject(new TypeError('Failed to fetch')));
    await hook.run('natal');
    expect([totalOf(hook), hook.result.asked]).to.deep.equal([undefined, undefined]);
    expect([hook.result.isLoading, hook.result.isUnreachable]).to.deep.equal([false, true]);
    setNetwork(respond);
    hook.result.retry();
    await settled();
    expect([totalOf(hook), hook.result.isUnreachable]).to.deep.equal([1_200, false]);
    expect(hook.result.asked).to.deep.equal(ofCity('natal'));
    hook.stop();
  });

  it('says that the service is unreachable if a connection never responds', () =>
    withLostConnection(setNetwork, async (reachDeadline) => {
      const hook = await open('recife');
      expect([hook.result.isLoading, hook.result.isUnreachable]).to.deep.equal([true, false]);
      await reachDeadline();
      expect([hook.result.isLoading, hook.result.isUnreachable]).to.deep.equal([false, true]);
      hook.stop();
    }));
});
