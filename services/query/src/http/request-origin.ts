import type { Context } from 'koa';

/**
 * Returns the origin by which the client reached this service. A proxy with TLS requires PUBLIC_URL. The request
 * listener has already checked the Host header.
 */
export function originOf({ req }: Pick<Context, 'req'>): string {
  const { host } = req.headers;
  if (host) return `http://${host}`;
  const { localAddress = '127.0.0.1', localPort = 80 } = req.socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
