import type { ServerResponse } from 'node:http';

/**
 * Breaks off a transfer with a connection reset. To an HTTP/1.0 client, an ordinary close would look like the
 * end of the content.
 */
export function breakOff(response: ServerResponse): void {
  const { socket } = response;
  if (socket) socket.resetAndDestroy();
  else response.destroy();
}
