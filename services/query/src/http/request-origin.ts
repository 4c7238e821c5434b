import type { Context } from 'koa';

/**
 * Returns the origin by which the client reached this service. A proxy with TLS requires PUBLIC_URL. The request
 * listener has already checked the Host header.
 *
 * The response then varies by Host, because a shared cache without the host in its key, such as nginx with
 * its defaults, would otherwise serve the URLs of one host to the clients of another one.
 */
export function originOf(context: Context): string {
  context.vary('Host');
  const { req } = context;
  const { host } = req.headers;
  if (host) return `http://${host}`;
  const { localAddress = '127.0.0.1', localPort = 80 } = req.socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
