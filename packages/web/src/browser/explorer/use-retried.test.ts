import { expect } from 'chai';
import { runHook, stopHooks } from '../run-hook.ts';
import { useRetried } from './use-retried.ts';

describe('a retried read', () => {
  afterEach(stopHooks);

  it('gives no value of another key, neither before the first value nor after a failure', async () => {
    const read = (key: string) => (key === 'broken' ? Promise.reject(new Error(key)) : Promise.resolve(key));
    const given: unknown[] = [];
    const hook = await runHook((key: string) => {
      const retried = useRetried(key, () => read(key));
      given.push(`${key}: ${retried.value}`);
      return retried;
    }, 'first' as string);
    expect(hook.result).to.deep.equal({ value: 'first', hasFailed: false });
    await hook.run('broken');
    expect(hook.result).to.deep.equal({ value: undefined, hasFailed: true });
    await hook.run('second');
    expect(hook.result).to.deep.equal({ value: 'second', hasFailed: false });
    expect([...new Set(given)]).to.deep.equal([
      'first: undefined',
      'first: first',
      'broken: undefined',
      'second: undefined',
      'second: second',
    ]);
    hook.stop();
  });

  it('keeps the value for its key while it must not read', async () => {
    let reads = 0;
    const hook = await runHook(
      ([key, canRead]: [string, boolean]) => useRetried(key, async () => `${key} ${++reads}`, canRead),
      ['a', true],
    );
    await hook.run(['a', false]);
    expect(hook.result.value).to.equal('a 1');
    await hook.run(['b', false]);
    expect(hook.result.value).to.equal(undefined);
    expect(reads).to.equal(1);
    hook.stop();
  });
});
