const waiting: (() => void)[] = [];

/**
 * Waits for a turn of the event loop. One turn goes to one request only, so the others wait for one piece of
 * work at a time, however many requests have work. Requests take turns in the order of their arrival.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) setImmediate(giveTurn);
  return promise;
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
