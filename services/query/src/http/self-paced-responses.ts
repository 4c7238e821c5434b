import type { ServerResponse } from 'node:http';

const SELF_PACED = new WeakSet<ServerResponse>();

/** Exempts a response from the delivery timeout, because its sender checks that the client keeps reading. */
export const markSelfPaced = (response: ServerResponse): void => {
  SELF_PACED.add(response);
};

export const isSelfPaced = (response: ServerResponse): boolean => SELF_PACED.has(response);
