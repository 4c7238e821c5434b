import { expect } from 'chai';
import { createMetrics } from '../telemetry/metrics.ts';
import type { CacheFastPath } from './cache-fast-path.ts';
import { createRequestListener } from './request-listener.ts';

describe('the request listener', () => {
  it('tries the cache fast path first, and the other paths only if it does not respond', () => {
    const asked = (isCached: boolean) => {
      const paths: string[] = [];
      const asks = (path: string, responds: boolean) => () => paths.push(path) > 0 && responds;
      const listener = createRequestListener({
        fastPath: { respond: asks('cache', isCached) } as unknown as CacheFastPath,
        feedPath: asks('feed', false),
        app: async () => void paths.push('app'),
        countRequest: () => ({ headers: [], refusal: undefined }),
        metrics: createMetrics(),
        problemPages: '/errors/',
      });
      const request = { url: '/feed', headers: { host: 'one.test' }, rawHeaders: ['Host', 'one.test'] };
      const response = { setHeader: () => undefined };
      listener(...([request, response] as unknown as Parameters<typeof listener>));
      return paths;
    };
    expect(asked(true)).to.deep.equal(['cache']);
    expect(asked(false)).to.deep.equal(['cache', 'feed', 'app']);
  });
});
