import { type ContainerNode, h, options, render } from 'preact';

/** A hook that runs in a component without elements, so that tests need no browser. */
export interface RunningHook<P, R> {
  /** The hook's latest result. */
  result: R;
  /** Runs the hook again with other parameters, and waits for its effects. */
  run(params: P): Promise<void>;
  /** Ends the component and its effects. */
  stop(): void;
}

/** Waits until renderings and effects have ended, and all promises that can settle have settled. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const roots = new Set<ContainerNode>();

/** Ends all hooks, even those of a failed test, because a hook that retries keeps the process alive. */
export function stopHooks(): void {
  for (const root of roots) render(null, root);
  roots.clear();
}

/** Runs a hook, and waits for its effects. */
export async function runHook<P, R>(hook: (params: P) => R, params: P): Promise<RunningHook<P, R>> {
  // There are no frames for which effects could wait.
  options.requestAnimationFrame = (callback) => setImmediate(callback);
  const root = { nodeType: 1, childNodes: [] } as unknown as ContainerNode;
  roots.add(root);
  const Component = ({ given }: { given: P }) => {
    running.result = hook(given);
    return null;
  };
  const running = {
    run: (given: P) => {
      render(h(Component, { given }), root);
      return settled();
    },
    stop: () => render(null, root),
  } as RunningHook<P, R>;
  await running.run(params);
  return running;
}

/** Responds to a request, or rejects as `fetch` does without a connection. */
export type Network = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Gives the tests of the surrounding `describe` a page's address and a network.
 * @returns a function that replaces the network
 */
export function fakePage(): (network: Network) => void {
  const { fetch } = globalThis;
  before(() => {
    Object.assign(globalThis, {
      document: { documentElement: { dataset: {} } },
      location: { href: 'http://shop.example/' },
    });
  });
  afterEach(stopHooks);
  after(() => {
    globalThis.fetch = fetch;
    Reflect.deleteProperty(globalThis, 'document');
    Reflect.deleteProperty(globalThis, 'location');
  });
  return (network) => {
    globalThis.fetch = (url, init = {}) => network(String(url), init);
  };
}

/** Runs a test during which no request is answered. @param test calls its parameter to reach all deadlines */
export async function withLostConnection(
  setNetwork: (network: Network) => void,
  test: (reachDeadline: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { timeout } = AbortSignal;
  const deadline = new AbortController();
  AbortSignal.timeout = () => deadline.signal;
  setNetwork(
    (_url, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  );
  try {
    await test(() => {
      deadline.abort();
      return settled();
    });
  } finally {
    AbortSignal.timeout = timeout;
  }
}
